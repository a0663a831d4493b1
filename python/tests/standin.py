"""A driver that launches nothing, which keeps what it was given, and a package for it."""

import contextlib
import ctypes
import json
import lzma

import plain_torch

from tilewright import _dispatch, _runtime


class StandIn:
    def __init__(self, capability=90):
        self._capability, self.maps, self.launched, self.loaded, self.memory = capability, {}, [], [], 1 << 40

    def capability(self, ordinal):
        return self._capability

    def enter(self, ordinal):
        pass

    def load(self, image, entry, shared):
        self.loaded.append((image, entry, shared))
        return len(self.loaded) - 1

    def zeros(self, size):
        self.memory += 1 << 20
        return self.memory

    def encode(self, place, element, address, dims, strides, box, steps, swizzle, promotion):
        assert place % 64 == 0
        self.maps[place] = [element, address, list(dims), list(strides), list(box), list(steps), swizzle, promotion]

    def replace_address(self, place, address):
        self.maps[place][1] = address
        return 0

    def launch(self, reference, function, pointers, extra):
        config = reference._obj
        self.launched.append((function, list(config.grid), list(config.block), config.shared, config.stream,
                              list(pointers)))
        return 0

    def message(self, status):
        return f"error {status}"


def kernel(folder, ptx=True):
    """Writes the code of a package with one kernel: its machine code between other kernels' in a block, and PTX."""
    place = {"cubin": [0, 6, 5], "ptx": [1, 0, 3] if ptx else []}
    (folder / "kernels.json").write_text(json.dumps([{"entry": "k", "target": "sm_90a", **place, "block": [128, 1, 1],
                                                      "cluster": [1, 1, 1], "shared": 0, "features": []}]))
    (folder / "0000.xz").write_bytes(lzma.compress(b"other\0cubinother"))
    (folder / "0001.xz").write_bytes(lzma.compress(b"ptx"))


def package(folder, operators, capability=90):
    """Writes the data of a package with one kernel."""
    (folder / f"sm{capability}.json").write_text(json.dumps(operators))
    kernel(folder, ptx=False)


def case(arguments, **others):
    """A case of an operator with one launch of these arguments, by names and numbers."""
    launch = {"kernel": 0, "grid": ["M", 1, 1], "arguments": arguments, **others.pop("launch", {})}
    return {"axes": [], "choice": 0, "launches": [{"workspace": [], "launches": [launch]}], **others}


def number(place, kind):
    """The number at an argument's place."""
    types = {"u32": ctypes.c_uint32, "s64": ctypes.c_int64, "f32": ctypes.c_float, "pointer": ctypes.c_uint64}
    return types[kind].from_address(place).value


@contextlib.contextmanager
def standing_in(monkeypatch, folder):
    """A driver and a torch that stand in, and the package of a folder."""
    plain_torch.install(monkeypatch)
    monkeypatch.setattr(_runtime, "Data", lambda capability: _dispatch.Data(capability, folder))
    stand_in = StandIn()
    _runtime.use(stand_in)
    yield stand_in
    _runtime.use(None)
