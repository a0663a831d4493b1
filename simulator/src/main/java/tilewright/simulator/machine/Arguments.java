package tilewright.simulator.machine;

import java.util.List;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.TensorMapRules;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.tensormap.TensorDescriptor;
import tilewright.simulator.tensormap.TensorMapBytes;

/** Encodes a launch's arguments as the bytes of parameter memory. */
final class Arguments {
  private Arguments() {}

  static byte[] encode(Kernel kernel, Launch launch, List<String> bufferNames) {
    var bytes = new byte[kernel.memory().parameterBytes()];
    for (int i = 0; i < kernel.memory().parameters().size(); i++) {
      var parameter = kernel.memory().parameters().get(i);
      var argument = launch.arguments().get(i);
      int size = size(argument);
      if (size != parameter.bytes()) {
        throw new IllegalArgumentException("parameter " + i + " ('" + parameter.name() + "') of kernel '"
            + kernel.name()
            + "' takes " + parameter.bytes() + " bytes, but argument " + argument + " has " + size);
      }
      put(bytes, parameter.offset(), argument, kernel, bufferNames);
    }
    return bytes;
  }

  private static int size(Argument argument) {
    return switch (argument) {
      case Argument.Buffer _ -> 8;
      case Argument.Scalar s -> s.type().bytes();
      case Argument.TensorMapOf _ -> TensorMapBytes.SIZE;
      case Argument.Struct s -> s.bytes();
    };
  }

  private static void put(byte[] bytes, int at, Argument argument, Kernel kernel, List<String> names) {
    switch (argument) {
      case Argument.Buffer b -> putLong(bytes, at, 8, address(b, kernel, names));
      case Argument.TensorMapOf(var buffer, var map) -> {
        long address = address(buffer, kernel, names);
        TensorMapRules.require(map, address, kernel.target());
        System.arraycopy(TensorMapBytes.encode(TensorDescriptor.of(map, address)), 0, bytes, at, TensorMapBytes.SIZE);
      }
      case Argument.Scalar s -> putLong(bytes, at, s.type().bytes(), s.bits());
      case Argument.Struct s -> {
        for (var f : s.fields()) {
          if (f.offset() < 0 || f.offset() + size(f.value()) > s.bytes()) {
            throw new IllegalArgumentException("field at offset " + f.offset() + " leaves its struct of " + s.bytes()
                + " bytes");
          }
          put(bytes, at + f.offset(), f.value(), kernel, names);
        }
      }
    }
  }

  private static long address(Argument.Buffer buffer, Kernel kernel, List<String> names) {
    int variables = kernel.memory().variables().size();
    int position = names.subList(variables, names.size()).indexOf(buffer.name()) + variables;
    return AddressSpace.base(position) + buffer.offset();
  }

  private static void putLong(byte[] bytes, int at, int size, long value) {
    for (int i = 0; i < size; i++) bytes[at + i] = (byte) (value >>> 8 * i);
  }
}
