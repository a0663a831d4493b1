package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.tensor.NpyMatrix;
import tilewright.numerics.ElementType;

/** The files of a product: A and B, how they lie, where C goes and of which type it is. */
final class GemmFileOptions {
  @Option(names = "--a", required = true, paramLabel = "A.npy",
      description = "A, M×K: f2, f4, f8, bfloat16 as V2, or 8-bit floats as V1.")
  private Path a;

  @Option(names = "--b", required = true, paramLabel = "B.npy", description = "B, N×K.")
  private Path b;

  @Option(names = "--out", required = true, paramLabel = "C.npy",
      description = "Where C goes; it is written whole or not at all.")
  private Path out;

  @Option(names = "--trans-a", description = "A.npy holds K×M.")
  private boolean transposeA;

  @Option(names = "--trans-b", description = "B.npy holds K×N.")
  private boolean transposeB;

  @Option(names = "--out-dtype", paramLabel = "f32|f16|bf16", defaultValue = "f32",
      description = "The type of C.npy (default: f32); bf16 is stored as V2.")
  private String outDtype;

  Path out() {
    return out;
  }

  ElementType output() {
    return type("--out-dtype", outDtype, ElementType.F32, ElementType.F16, ElementType.BF16);
  }

  /** A and B, which fit each other, to be multiplied in a type. */
  GemmOperands read(Optional<ElementType> wanted, Arena arena) {
    return GemmOperands.of(NpyMatrix.read(a, transposeA, arena), NpyMatrix.read(b, transposeB, arena), wanted);
  }

  /** The type that an option names. */
  static ElementType type(String option, String name, ElementType... allowed) {
    return Stream.of(allowed).filter(type -> type.text().equals(name)).findFirst().orElseThrow(() ->
        CommandFailure.badInput("invalid " + option + " " + name + ": "
            + String.join(" or ", Stream.of(allowed).map(ElementType::text).toList())));
  }
}
