package tilewright.simulator.machine;

import java.util.function.ToLongFunction;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.TensorMapRules;
import tilewright.simulator.core.Kernel;
import tilewright.simulator.tensormap.TensorDescriptor;
import tilewright.simulator.tensormap.TensorMapBytes;

/** Encodes a launch's arguments as the bytes of parameter memory. */
final class Arguments {
  private Arguments() {}

  /** @param addresses of the launch's buffers, by name */
  static byte[] encode(Kernel kernel, Launch launch, ToLongFunction<String> addresses) {
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
      put(bytes, parameter.offset(), argument, kernel, addresses);
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

  private static void put(byte[] bytes, int at, Argument argument, Kernel kernel,
      ToLongFunction<String> addresses) {
    switch (argument) {
      case Argument.Buffer b -> putLong(bytes, at, 8, address(b, addresses));
      case Argument.TensorMapOf(var buffer, var map) -> {
        long address = address(buffer, addresses);
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
          put(bytes, at + f.offset(), f.value(), kernel, addresses);
        }
      }
    }
  }

  private static long address(Argument.Buffer buffer, ToLongFunction<String> addresses) {
    return addresses.applyAsLong(buffer.name()) + buffer.offset();
  }

  private static void putLong(byte[] bytes, int at, int size, long value) {
    for (int i = 0; i < size; i++) bytes[at + i] = (byte) (value >>> 8 * i);
  }
}
