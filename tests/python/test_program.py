"""How the program is run: its errors, its progress, its end. A shell script stands in for it where it would not do what is asked."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import visqerror
from visqerror import program as running


def test_errors_carry_the_line_and_the_exit_code(fp32, int8):
    with pytest.raises(visqerror.InputError, match="^nowhere.tflite: cannot be opened") as error:
        visqerror.compare(fp32, "nowhere.tflite")
    assert error.value.exit_code == 3 and error.value.result is None
    with pytest.raises(visqerror.UsageError, match="unknown option '--per-recrd'; did you mean '--per-record'"):
        visqerror.compare(fp32, int8, per_recrd=True)
    with pytest.raises(TypeError, match="result.save"):
        visqerror.compare(fp32, int8, json="file.json")


def test_a_condition_that_fails_leaves_the_result(fp32, int8, data):
    with pytest.raises(visqerror.ConditionFailed) as error:
        visqerror.compare(fp32, int8, data, min={"sqnr": 60}, max={"mse": 1e-9})
    assert str(error.value).splitlines()[0].startswith("--min sqnr=60 does not hold: sqnr of Identity is 41.2")
    assert len(str(error.value).splitlines()) == 2
    assert error.value.result == visqerror.compare(fp32, int8, data)


@pytest.mark.parametrize(
    ("exit_code", "kind"), [(4, visqerror.Incomplete), (5, visqerror.Fault), (143, visqerror.Fault)], ids=["partial", "fault", "ended"]
)
def test_other_exit_codes(exit_code, kind, program):
    json = '{"schema": "visq.compare/1"}'
    program(f"echo 'visqerror: warning: look out' >&2; echo '{json}'; echo 'visqerror: the line' >&2; exit {exit_code}")
    with pytest.warns(visqerror.VisqWarning, match="^look out$"), pytest.raises(kind, match="^the line$") as error:
        visqerror.compare("a", "b")
    assert error.value.exit_code == exit_code and error.value.result == {"schema": "visq.compare/1"}


def test_death_by_a_signal(program):
    program("kill -9 $$")
    with pytest.raises(visqerror.Fault, match="ended by signal 9"):
        visqerror.compare("a", "b")


def test_warnings_point_at_the_caller(fp32, int8):
    with pytest.warns(visqerror.VisqWarning, match="one random record") as caught:
        visqerror.compare(fp32, int8)
    assert caught[0].filename == __file__


def test_much_output_on_both_streams(program):
    program("""seq 20000 | sed 's/^/visqerror: /' >&2; echo '{"schema": "visq.ops/1", "operators": ['; seq -s, 50000; echo ']}'""")
    assert len(visqerror.ops()["operators"]) == 50000


class Bar:
    """Stands in for tqdm."""

    made = []

    def __init__(self, total, unit, leave):
        self.total, self.unit, self.n, self.seen, self.closed = total, unit, 0, [], False
        Bar.made.append(self)

    def refresh(self):
        self.seen.append(self.n)

    def close(self):
        self.closed = True


def test_progress_is_that_of_the_program(program, monkeypatch):
    monkeypatch.setattr(running, "progress_bar", lambda: Bar)
    Bar.made = []
    program(r"""test -t 2 || exit 5
for done in 1 2; do printf '\r\033[K[####      ] %s of 4 records, 2 s left' $done >&2; sleep 0.2; done
printf '\r\033[K' >&2
echo 'visqerror: a note' >&2
printf '\r\033[K[#         ] 1 of 9 trials, 2 s left' >&2
echo '{"schema": "visq.ops/1"}'""")
    visqerror.ops()
    assert [(bar.total, bar.unit, bar.seen[-1], bar.closed) for bar in Bar.made] == [(4, "records", 2, True), (9, "trials", 1, True)]
    assert 1 in Bar.made[0].seen, "shown while the program runs"


def test_the_program_itself_on_a_terminal(monkeypatch, fp32, int8, data):
    monkeypatch.setattr(running, "progress_bar", lambda: Bar)
    with pytest.raises(visqerror.ConditionFailed, match="^--min sqnr=60 does not hold: [^\r\n]*$"):
        visqerror.compare(fp32, int8, data, min={"sqnr": 60})


def test_an_interruption_ends_the_program(program, tmp_path):
    """As Ctrl-C does: SIGINT to Python, which passes it on and waits until the program has cleaned up."""
    program(f"trap 'touch {tmp_path}/cleaned; exit 130' INT; touch {tmp_path}/started; while :; do sleep 0.05; done")
    code = "import visqerror\ntry: visqerror.ops()\nexcept KeyboardInterrupt: print('interrupted')"
    folder = os.path.dirname(os.path.dirname(visqerror.__file__))
    python = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": folder})
    deadline = time.monotonic() + 30
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    python.send_signal(signal.SIGINT)
    assert python.communicate(timeout=30)[0] == "interrupted\n"
    assert (tmp_path / "cleaned").exists()


def test_works_beside_other_threads(fp32, int8, data):
    results = []
    threads = [threading.Thread(target=lambda: results.append(visqerror.compare(fp32, int8, data, records=4))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3 and results[0] == results[1] == results[2]


def test_no_program_anywhere(monkeypatch):
    monkeypatch.delenv("VISQERROR_BINARY", raising=False)
    monkeypatch.setenv("PATH", "")
    if not os.path.exists(os.path.join(os.path.dirname(visqerror.__file__), "bin/visqerror")):
        with pytest.raises(FileNotFoundError, match="VISQERROR_BINARY"):
            visqerror.ops()
