"""Kernels for functions that are not in the package, made by Java's ``tilewright`` command and kept on the disk."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import zipfile

SECONDS = 600
FORMAT = 2  # of the package's data: what another one made is not read
HINT = ("put Java's tilewright command on the PATH or name its folder in TILEWRIGHT_HOME to compile it here, or make a "
        "package with it by: tilewright package --functions FILE")


def name_of(text):
    """The name of functions, by their form."""
    return "f" + hashlib.sha256(text.encode()).hexdigest()[:16]


def command():
    """Java's command; None where there is none."""
    home = os.environ.get("TILEWRIGHT_HOME")
    return str(pathlib.Path(home) / "tilewright") if home else shutil.which("tilewright")


def folder(operator, key, text, dim, chosen_for):
    """The folder with the data of a case, which the first call makes; None where there is no Java.

    :param dim: the head dimension
    :param chosen_for: the GPU's compute capability times ten
    """
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    data = cache / "tilewright" / "flex" / f"{_version()}-{FORMAT}" / f"sm{chosen_for}-{operator}-{key}-d{dim}"
    if not (data / "kernels.json").exists():
        java = command()
        if java is None:
            return None
        _make(java, data, ["--arch", f"sm{chosen_for}", "--operator", operator, "--case", key, "--head-dim", str(dim)],
              text)
    return data


def _make(java, data, options, text):
    data.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data.parent) as made:
        functions = pathlib.Path(made) / "functions.json"
        functions.write_text(json.dumps({name_of(text): json.loads(text)}))
        ended = subprocess.run([java, "package", "--out", made, "--functions", str(functions), *options],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
        if ended.returncode:
            raise NotImplementedError(f"{java} has no kernel for {text}: {(ended.stderr or ended.stdout).strip()}")
        wheel = next(pathlib.Path(made).glob("*.whl"))
        with zipfile.ZipFile(wheel) as files:
            files.extractall(made, [name for name in files.namelist() if name.startswith("tilewright/data/")])
        try:
            (pathlib.Path(made) / "tilewright" / "data").rename(data)
        except OSError:  # another process was faster
            if not (data / "kernels.json").exists():
                raise


def _version():
    from . import __version__

    return __version__
