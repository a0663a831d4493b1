package tilewright.simulator.core;

import java.util.List;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;

/** Encodes a launch's arguments as the bytes of parameter memory. */
final class Arguments {
  private Arguments() {}

  static byte[] encode(Kernel kernel, Launch launch, List<String> bufferNames) {
    var bytes = new byte[kernel.parameterBytes()];
    for (int i = 0; i < kernel.parameters().size(); i++) {
      var parameter = kernel.parameters().get(i);
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
      case Argument.Struct s -> s.bytes();
    };
  }

  private static void put(byte[] bytes, int at, Argument argument, Kernel kernel, List<String> names) {
    switch (argument) {
      case Argument.Buffer b -> {
        int position = names.subList(kernel.variables().size(), names.size()).indexOf(b.name())
            + kernel.variables().size();
        putLong(bytes, at, 8, AddressSpace.base(position) + b.offset());
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

  private static void putLong(byte[] bytes, int at, int size, long value) {
    for (int i = 0; i < size; i++) bytes[at + i] = (byte) (value >>> 8 * i);
  }
}
