"""A driver that launches nothing: it keeps what it was given."""

import ctypes


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


def number(place, kind):
    """The number at an argument's place."""
    types = {"u32": ctypes.c_uint32, "s64": ctypes.c_int64, "f32": ctypes.c_float, "pointer": ctypes.c_uint64}
    return types[kind].from_address(place).value
