"""Small PyTorch networks, random weights: what people build, each with one thing that converters write in their own way.

NETWORKS: name -> function that returns (module, inputs). Blocks of torchvision and architectures of transformers join where these are
installed."""

import functools

import torch
import torch.nn.functional as F
from torch import nn

NETWORKS = {}


def network(*shapes):
    """Registers a class by its name; its inputs are random floats of these shapes."""

    def register(build):
        NETWORKS[build.__name__.lower()] = lambda: (build(), tuple(torch.randn(*shape) for shape in shapes))
        return build

    return register


class Computes(nn.Module):
    """A function of the input between two layers, so that quantizers see a map on both sides of it."""

    def __init__(self, function, channels=8):
        super().__init__()
        self.first, self.last = nn.Linear(channels, channels), nn.Linear(channels, channels)
        self.function = function

    def forward(self, x):
        return self.last(self.function(self.first(x)))


FUNCTIONS = {
    "relu": F.relu, "relu6": F.relu6, "leaky_relu": lambda x: F.leaky_relu(x, 0.1), "elu": F.elu, "gelu": F.gelu,
    "gelu_tanh": functools.partial(F.gelu, approximate="tanh"), "silu": F.silu, "hardswish": F.hardswish, "hardsigmoid": F.hardsigmoid,
    "mish": F.mish, "softplus": F.softplus, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "softmax": lambda x: F.softmax(x, -1),
    "log_softmax": lambda x: F.log_softmax(x, -1), "clamp": lambda x: x.clamp(-0.5, 0.7), "square": lambda x: x * x,
    "rsqrt": lambda x: torch.rsqrt(x * x + 1), "exp": lambda x: torch.exp(-x * x), "log": lambda x: torch.log(x * x + 1),
    "sin_cos": lambda x: torch.sin(x) + torch.cos(x), "divide": lambda x: x / (x.abs() + 1), "where": lambda x: torch.where(x > 0, x, x * 0.1),
    "mean_centered": lambda x: x - x.mean(-1, keepdim=True), "maximum": lambda x: torch.maximum(x, x.flip(-1)),
    "cumsum": lambda x: torch.cumsum(x, 1), "roll": lambda x: torch.roll(x, 1, 1), "slices": lambda x: torch.cat([x[..., 4:], x[..., :4]], -1),
    "expand": lambda x: x + x[:, :1].expand_as(x), "einsum": lambda x: torch.einsum("bic,bjc->bij", x, x) @ x,
    "topk": lambda x: x * (x >= x.topk(2, -1).values[..., -1:]).to(x.dtype),
}  # fmt: skip
for _name, _function in FUNCTIONS.items():
    NETWORKS[f"f_{_name}"] = functools.partial(lambda f: (Computes(f), (torch.randn(1, 6, 8),)), _function)


class Around(nn.Module):
    """A block between two convolutions."""

    def __init__(self, block, channels=8, after=None):
        super().__init__()
        self.stem, self.block, self.head = nn.Conv2d(3, channels, 3, padding=1), block, nn.Conv2d(after or channels, 4, 1)

    def forward(self, x):
        return self.head(self.block(self.stem(x)))


def unit(*layers):
    return nn.Sequential(*layers)


BLOCKS = {
    "conv_bn_relu": lambda: unit(nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU()),
    "bn_first": lambda: unit(nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1)),
    "stride2": lambda: nn.Conv2d(8, 8, 3, stride=2, padding=1), "dilated": lambda: nn.Conv2d(8, 8, 3, padding=2, dilation=2),
    "grouped": lambda: nn.Conv2d(8, 8, 3, padding=1, groups=2), "valid5": lambda: nn.Conv2d(8, 8, 5),
    "separable": lambda: unit(nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.ReLU6(), nn.Conv2d(8, 8, 1)),
    "multiplier": lambda: unit(nn.Conv2d(8, 16, 3, padding=1, groups=8), nn.Conv2d(16, 8, 1)),
    "transposed": lambda: nn.ConvTranspose2d(8, 8, 2, stride=2), "max_pool": lambda: nn.MaxPool2d(2), "avg_pool": lambda: nn.AvgPool2d(2),
    "max_pool_padded": lambda: nn.MaxPool2d(3, 2, 1), "global_pool": lambda: nn.AdaptiveAvgPool2d(1), "prelu": lambda: nn.PReLU(8),
    "group_norm": lambda: nn.GroupNorm(2, 8), "instance_norm": lambda: nn.InstanceNorm2d(8, affine=True),
    "nearest": lambda: nn.Upsample(scale_factor=2), "bilinear": lambda: nn.Upsample(scale_factor=2, mode="bilinear"),
    "reflect": lambda: unit(nn.ReflectionPad2d(1), nn.Conv2d(8, 8, 3)), "zero_pad": lambda: unit(nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(8, 8, 3)),
}  # fmt: skip
for _name, _block in BLOCKS.items():
    NETWORKS[f"b_{_name}"] = functools.partial(lambda make: (Around(make()), (torch.randn(1, 3, 12, 12),)), _block)
NETWORKS["b_pixel_shuffle"] = lambda: (Around(nn.PixelShuffle(2), 8, 2), (torch.randn(1, 3, 8, 8),))


@network((1, 16))
class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, x):
        return F.softmax(self.net(x), -1)


@network((1, 3, 12, 12))
class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.a, self.b = nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.bn, self.fc = nn.BatchNorm2d(8), nn.Linear(8, 5)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = F.relu(x + self.bn(self.b(F.relu(self.a(x)))))
        return self.fc(x.mean((2, 3)))


@network((1, 3, 12, 12))
class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(3, 4, 1), nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(3, 4, 5, padding=2)
        self.head = nn.Conv2d(15, 4, 1)

    def forward(self, x):
        return self.head(F.relu(torch.cat([self.a(x), self.b(x), self.c(x), F.max_pool2d(x, 3, 1, 1)], 1)))


@network((1, 8, 6, 6))
class SqueezeExcite(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.down, self.up = nn.Conv2d(8, 8, 3, padding=1), nn.Linear(8, 4), nn.Linear(4, 8)

    def forward(self, x):
        x = self.conv(x)
        return x * torch.sigmoid(self.up(F.relu(self.down(x.mean((2, 3))))))[:, :, None, None]


@network((1, 8, 6, 6))
class ChannelShuffle(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(4, 4, 1), nn.Conv2d(8, 8, 1)

    def forward(self, x):
        left, right = x.chunk(2, 1)
        x = torch.cat([left, self.a(right)], 1)
        return self.b(x.reshape(1, 2, 4, 6, 6).transpose(1, 2).reshape(1, 8, 6, 6))


@network((1, 3, 16, 16))
class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1), nn.Conv2d(12, 4, 3, padding=1)
        self.up, self.out = nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(4, 1, 1)

    def forward(self, x):
        a = F.relu(self.a(x))
        b = F.relu(self.b(F.max_pool2d(a, 2)))
        return torch.sigmoid(self.out(F.relu(self.c(torch.cat([self.up(b), a], 1)))))


@network((1, 4, 32))
class Conv1d(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.fc = nn.Conv1d(4, 8, 5, padding=2), nn.Conv1d(8, 8, 3, stride=2, padding=1), nn.Linear(128, 3)

    def forward(self, x):
        return self.fc(F.relu(self.b(F.relu(self.a(x)))).flatten(1))


@network((1, 8), (1, 8))
class TwoInputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x, y):
        x, y = self.a(x), self.b(y)
        return x * y, torch.cat([x - y, y], -1)


@network((1, 6, 8))
class LayerNorms(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.n, self.b = nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 8)

    def forward(self, x):
        return x + self.b(F.gelu(self.n(self.a(x))))


class Rms(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(size) + 0.5)

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


@network((1, 6, 16))
class Decoder(nn.Module):
    """A layer as of Llama: norms, rotary embeddings, grouped heads, a gated MLP."""

    def __init__(self, size=16, heads=4, groups=2):
        super().__init__()
        self.heads, self.groups, self.head = heads, groups, size // heads
        self.norm, self.norm2 = Rms(size), Rms(size)
        self.q, self.k, self.v, self.o = (nn.Linear(size, out * self.head, bias=False) for out in (heads, groups, groups, heads))
        self.gate, self.up, self.dn = nn.Linear(size, 32, bias=False), nn.Linear(size, 32, bias=False), nn.Linear(32, size, bias=False)
        turns = torch.outer(torch.arange(6.0), 1 / 100 ** (torch.arange(0, self.head, 2) / self.head)).repeat(1, 2)
        self.register_buffer("cos", turns.cos())
        self.register_buffer("sin", turns.sin())
        self.register_buffer("mask", torch.full((6, 6), -120.0).triu(1))

    def turned(self, x):
        half = x.shape[-1] // 2
        return x * self.cos + torch.cat([-x[..., half:], x[..., :half]], -1) * self.sin

    def forward(self, x):
        y = self.norm(x)
        q, k, v = (f(y).view(1, 6, n, self.head).transpose(1, 2) for f, n in ((self.q, self.heads), (self.k, self.groups), (self.v, self.groups)))
        k, v = (z.repeat_interleave(self.heads // self.groups, 1) for z in (self.turned(k), v))
        weights = F.softmax(self.turned(q) @ k.transpose(-1, -2) / self.head**0.5 + self.mask, -1)
        x = x + self.o((weights @ v).transpose(1, 2).reshape(1, 6, -1))
        y = self.norm2(x)
        return x + self.dn(F.silu(self.gate(y)) * self.up(y))


@network((1, 6, 16))
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


NETWORKS["encoder_layer"] = lambda: (nn.TransformerEncoderLayer(16, 2, 32, dropout=0, batch_first=True), (torch.randn(1, 6, 16),))


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.fc = nn.Embedding(32, 8), nn.Linear(8, 4)

    def forward(self, ids):
        return self.fc(self.table(ids).mean(1))


NETWORKS["embedding"] = lambda: (Embedded(), (torch.arange(6).view(1, 6) * 5 % 32,))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.cell, self.fc = kind(4, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, x):
        return self.fc(self.cell(x)[0][:, -1])


for _kind in (nn.LSTM, nn.GRU, nn.RNN):
    NETWORKS[_kind.__name__.lower()] = functools.partial(lambda kind: (Recurrent(kind), (torch.randn(1, 5, 4),)), _kind)


class Output(nn.Module):
    """One tensor of what an architecture of transformers returns."""

    def __init__(self, model, keyword="input_ids"):
        super().__init__()
        self.model, self.keyword = model, keyword

    def forward(self, x):
        result = self.model(**{self.keyword: x}, return_dict=False)
        return result[0] if isinstance(result, tuple) else result


def _torchvision():
    import torchvision.models as models

    image = (torch.randn(1, 3, 32, 32),)
    return {
        "tv_resnet18": lambda: (models.resnet18(num_classes=8), image),
        "tv_mobilenet_v2": lambda: (models.mobilenet_v2(num_classes=8, width_mult=0.25), image),
        "tv_mobilenet_v3": lambda: (models.mobilenet_v3_small(num_classes=8, width_mult=0.5), image),
        "tv_shufflenet": lambda: (models.shufflenet_v2_x0_5(num_classes=8), image),
        "tv_squeezenet": lambda: (models.squeezenet1_1(num_classes=8), (torch.randn(1, 3, 48, 48),)),
    }


def _transformers():
    import transformers as t

    size = dict(vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4)
    ids = (torch.arange(8).view(1, 8) * 7 % 64,)
    plain = dict(use_cache=False, attn_implementation="eager")
    grouped = dict(size, num_key_value_heads=2, max_position_embeddings=32, **plain)

    def text(config, model):
        return lambda: (Output(model(config)), ids)

    return {
        "hf_bert": text(t.BertConfig(**size, max_position_embeddings=32, attn_implementation="eager"), t.BertModel),
        "hf_distilbert": text(t.DistilBertConfig(vocab_size=64, dim=32, hidden_dim=64, n_layers=2, n_heads=4, attn_implementation="eager"), t.DistilBertModel),
        "hf_gpt2": text(t.GPT2Config(vocab_size=64, n_embd=32, n_layer=2, n_head=4, n_positions=32, **plain), t.GPT2LMHeadModel),
        "hf_llama": text(t.LlamaConfig(**grouped), t.LlamaForCausalLM),
        "hf_qwen2": text(t.Qwen2Config(**grouped), t.Qwen2ForCausalLM),
        "hf_gemma": text(t.GemmaConfig(**grouped, head_dim=8), t.GemmaForCausalLM),
        "hf_vit": lambda: (Output(t.ViTModel(t.ViTConfig(image_size=32, patch_size=8, attn_implementation="eager",
                                                         **{k: v for k, v in size.items() if k != "vocab_size"})), "pixel_values"),
                           (torch.randn(1, 3, 32, 32),)),
    }  # fmt: skip


for _more in (_torchvision, _transformers):
    try:
        NETWORKS.update(_more())
    except ImportError:
        pass


def build(name):
    """(module in eval mode, inputs), the same on every call."""
    torch.manual_seed(sum(name.encode()))
    module, inputs = NETWORKS[name]()
    module.eval()
    for part in module.modules():  # batch norms that do something
        if isinstance(part, (nn.BatchNorm1d, nn.BatchNorm2d)):
            part.running_mean.uniform_(-0.5, 0.5)
            part.running_var.uniform_(0.5, 2)
    return module, inputs


def records(inputs, count, seed=0):
    """Further inputs like these."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        yield tuple(torch.randn(x.shape, generator=generator) if x.is_floating_point()
                    else torch.randint(0, int(x.max()) + 1, x.shape, generator=generator) for x in inputs)
