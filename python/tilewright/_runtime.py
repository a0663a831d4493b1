"""The GPUs in use: their data, loaded kernels and memory."""

import os
import threading

from ._dispatch import Data
from ._driver import INVALID_CODE, Driver, DriverError
from ._launch import Launches

COUNTERS = 4096  # one for each stream of a device; a launch leaves its counter zero

_lock = threading.RLock()
_driver = None
_devices = {}


class Device:
    """A GPU by its number."""

    def __init__(self, driver, ordinal, data=None):
        self.driver, self.ordinal = driver, ordinal
        self.data = data or Data(driver.capability(ordinal))
        self._beside = {}
        self._functions = {}
        self._counters = None
        self._zeros = 0, 0
        self._by_stream = {}

    def beside(self, folder):
        """The same GPU with the kernels of another folder."""
        with _lock:
            found = self._beside.get(folder)
            if found is None:
                data = Data(self.driver.capability(self.ordinal), folder)
                found = self._beside[folder] = Device(self.driver, self.ordinal, data)
            return found

    def function(self, number):
        """A kernel's function, which the first call loads."""
        function = self._functions.get(number)
        if function is None:
            with _lock:
                function = self._functions.get(number) or self._load(self.data.kernels[number])
                self._functions[number] = function
        return function

    def _load(self, kernel):
        self.driver.enter(self.ordinal)
        kinds = [kind for kind in ("cubin", "ptx") if kernel[kind]]
        if os.environ.get("TILEWRIGHT_PTX"):
            kinds = kinds[-1:]
        for kind in kinds:
            try:
                return self.driver.load(self.data.code(kernel, kind), kernel["entry"], kernel["shared"])
            except DriverError as error:
                if kind is kinds[-1] or error.status not in INVALID_CODE:
                    raise RuntimeError(f"kernel {kernel['entry']} for {kernel['target']} does not load: {error}; "
                                       "a newer driver may take it") from error

    def counter(self, stream):
        """The address of a 32-bit zero that launches on a stream use one after the other."""
        address = self._by_stream.get(stream)
        if address is None:
            with _lock:
                if self._counters is None:
                    self.driver.enter(self.ordinal)
                    self._counters = self.driver.zeros(4 * COUNTERS)
                address = self._counters + 4 * (len(self._by_stream) % COUNTERS)
                self._by_stream[stream] = address
        return address

    def zeros(self, count):
        """The address of 32-bit zeros that launches only read."""
        with _lock:
            if self._zeros[0] < count:
                self.driver.enter(self.ordinal)
                more = max(count, COUNTERS)
                self._zeros = more, self.driver.zeros(4 * more)  # what earlier launches read stays where it is
            return self._zeros[1]

    def launches(self, template, numbers, names, scalars):
        """Launches of a problem with these numbers."""
        return Launches(self.driver, template, self.data.kernels, numbers, names, scalars, self.function)


def device(ordinal):
    """The GPU of a number."""
    global _driver
    found = _devices.get(ordinal)
    if found is None:
        with _lock:
            if _driver is None:
                _driver = Driver()
            found = _devices.setdefault(ordinal, Device(_driver, ordinal))
    return found


def use(driver):
    """Takes another driver, such as a test's, and forgets all GPUs."""
    global _driver
    with _lock:
        _driver = driver
        _devices.clear()
