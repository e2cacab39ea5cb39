"""Equations: products, traces, sums, orders, ellipses, several operands, results that are not written."""
from family import Family


def cases():
    f = Family("einsum")
    a, b, c = f.values(2, 3, 4), f.values(2, 4, 5), f.values(5, 3)
    square = f.values(4, 4)
    for name, equation, operands in [
            ("product", "bij,bjk->bik", [a, b]), ("transposed", "bij,bkj->bik", [a, f.values(2, 5, 4)]), ("implicit", "ij,jk", [f.values(2, 3), f.values(3, 4)]),
            ("implicit_order", "ba", [f.values(2, 3)]), ("trace", "ii->", [square]), ("diagonal", "ii->i", [square]), ("sum", "bij->j", [a]), ("order", "bij->jbi", [a]),
            ("outer", "i,j->ij", [f.values(3), f.values(4)]), ("dot", "i,i->", [f.values(3), f.values(3)]), ("ellipsis", "...ij,...jk->...ik", [f.values(2, 1, 3, 4), f.values(1, 5, 4, 2)]),
            ("ellipsis_behind", "i...,i...->i...", [f.values(3, 2), f.values(3, 2)]), ("three", "bij,bjk,ki->b", [a, b, c]), ("attention", "bhid,bhjd->bhij", [f.values(2, 2, 3, 4), f.values(2, 2, 5, 4)]),
            ("summed_alone", "bij,k->bk", [a, f.values(3)]), ("blanks", "b i j , b j k -> b i k", [a, b])]:
        f.case("Einsum", *operands, equation=equation, name=name)
    return f
