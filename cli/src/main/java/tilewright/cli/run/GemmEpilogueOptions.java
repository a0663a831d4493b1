package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.NpyFile;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;

/** The epilogue of {@code run gemm}: alpha, beta and C, biases, and an activation, in this order. */
final class GemmEpilogueOptions {
  @Option(names = "--alpha", paramLabel = "X", defaultValue = "1", description = "Factor of the product (default: 1).")
  private float alpha;

  @Option(names = "--beta", paramLabel = "X", defaultValue = "1", description = "Factor of --c (default: 1).")
  private float beta;

  @Option(names = "--c", paramLabel = "C.npy", description = "A matrix M×N to add, in C order.")
  private Optional<Path> c;

  @Option(names = "--bias", paramLabel = "BIAS.npy", description = "A vector to add to every row: N numbers.")
  private Optional<Path> bias;

  @Option(names = "--row-bias", paramLabel = "BIAS.npy", description = "A vector to add to every column: M numbers.")
  private Optional<Path> rowBias;

  @Option(names = "--activation", paramLabel = "NAME", description = "A function of every element, such as gelu_erf.")
  private Optional<String> activation;

  /** Returns the epilogue, and adds the buffers that it reads to {@code buffers}. */
  EpilogueArguments of(GemmProblem p, Arena arena, Map<String, MemorySegment> buffers) {
    var tree = alpha == 1 ? Epilogue.accumulator() : Epilogue.accumulator().times(Epilogue.constant(alpha));
    var tensors = new LinkedHashMap<String, LaunchArguments.Tensor>();
    if (c.isPresent()) {
      long[] shape = p.batch() > 1 ? new long[] {p.batch(), p.m(), p.n()} : new long[] {p.m(), p.n()};
      buffers.put("R", singles(c.get(), arena, shape));
      tensors.put("R", Matrix.rowMajor("R", p.m(), p.n()).argument(p.m(), p.n(), p.batch()));
      tree = tree.plus(Epilogue.source("R", ElementType.F32).times(Epilogue.constant(beta)));
    }
    if (bias.isPresent()) {
      buffers.put("bias", singles(bias.get(), arena, p.n()));
      tensors.put("bias", vector("bias", p.n(), p.batch()));
      tree = tree.plus(Epilogue.columnBias("bias", ElementType.F32));
    }
    if (rowBias.isPresent()) {
      buffers.put("row_bias", singles(rowBias.get(), arena, p.m()));
      tensors.put("row_bias", vector("row_bias", p.m(), p.batch()));
      tree = tree.plus(Epilogue.rowBias("row_bias", ElementType.F32));
    }
    if (activation.isPresent()) tree = tree.apply(function(activation.get()));
    var arguments = EpilogueArguments.packed(tree.convert(p.output()), p);
    for (var tensor : tensors.entrySet()) {
      var at = tensor.getValue();
      arguments = arguments.with(tensor.getKey(),
          new LaunchArguments.Tensor(tensor.getKey(), 0, at.extents(), at.strides()));
    }
    return arguments;
  }

  /** Whether the product is stored as it is. */
  boolean isPlain() {
    return alpha == 1 && c.isEmpty() && bias.isEmpty() && rowBias.isEmpty() && activation.isEmpty();
  }

  /** Returns a vector that every entry of the batch shares. */
  private static LaunchArguments.Tensor vector(String name, long extent, long batch) {
    return new LaunchArguments.Tensor(name, 0, List.of(extent, batch), List.of(1L, 0L));
  }

  private static Pointwise function(String name) {
    var functions = Arrays.stream(Pointwise.values()).filter(f -> f.inputs().size() == 1).toList();
    return functions.stream().filter(f -> f.text().equals(name)).findFirst().orElseThrow(() -> CommandFailure.badInput(
        "invalid --activation " + name + ": "
            + functions.stream().map(Pointwise::text).collect(Collectors.joining(" or "))));
  }

  /** Reads a file's numbers as FP32. */
  private static MemorySegment singles(Path path, Arena arena, long... shape) {
    var file = NpyFile.read(path, arena);
    var type = file.header().type();
    var wanted = Arrays.stream(shape).boxed().toList();
    if (!file.header().shape().equals(wanted) || file.header().fortranOrder() || !type.isMatrixElement()
        || type.isUntyped() || type.bytes() == 1) {
      throw CommandFailure.badFile(path, "holds " + file.header().extents() + " of " + type.descr()
          + (file.header().fortranOrder() ? " in Fortran order" : "") + "; needed is "
          + wanted.stream().map(Object::toString).collect(Collectors.joining("×"))
          + " of f2, f4 or f8, or bfloat16 as V2, in C order");
    }
    var element = type.kind() != 'f' ? ElementType.BF16
        : type.bytes() == 2 ? ElementType.F16 : type.bytes() == 4 ? ElementType.F32 : ElementType.F64;
    long count = Arrays.stream(shape).reduce(1, Math::multiplyExact);
    var singles = arena.allocate(count * Float.BYTES, 256);
    for (long i = 0; i < count; i++) {
      long bits = switch (element.bytes()) {
        case 2 -> file.data().getAtIndex(ValueLayout.JAVA_SHORT, i);
        case 4 -> file.data().getAtIndex(ValueLayout.JAVA_INT, i);
        default -> file.data().getAtIndex(ValueLayout.JAVA_LONG, i);
      };
      singles.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) element.toDouble(bits));
    }
    return singles;
  }
}
