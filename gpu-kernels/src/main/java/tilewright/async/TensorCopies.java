package tilewright.async;

import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.LaunchArguments;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;

/**
 * The rule for matrices that tensor copies can reach: rows, or columns, contiguous, each of them at a multiple of 16
 * bytes. Those that are stored end there too: an H200 writes all 16 bytes in which a row ends.
 */
public final class TensorCopies {
  private static final int BYTES = 16;

  private TensorCopies() {}

  /** A matrix (rows, columns, batch) that is copied. */
  private record Copied(String name, LaunchArguments.Tensor tensor, ElementType type) {
    /** The mode whose neighbours are contiguous, if any is. */
    int along() {
      return tensor.strides().get(1) == 1 || tensor.strides().get(0) != 1 ? 1 : 0;
    }

    int elements() {
      return BYTES * Byte.SIZE / type.bits();
    }

    public Optional<String> obstacle() {
      if (tensor.strides().get(along()) != 1 && tensor.extents().get(along()) > 1) {
        return Optional.of(name + " has neither rows nor columns contiguous: copy it");
      }
      if (tensor.offset() % BYTES != 0) {
        return Optional.of(name + " begins " + tensor.offset() + " bytes into its buffer: a multiple of 16 is needed");
      }
      return IntStream.range(0, 3).filter(i -> i != along() && tensor.extents().get(i) > 1)
          .mapToObj(tensor.strides()::get).filter(stride -> stride % elements() != 0).findFirst()
          .map(stride -> name + " has rows, or columns, " + stride + " elements apart: pad them to "
              + Math.ceilDiv(stride, elements()) * elements() + ", a multiple of 16 bytes");
    }

    boolean isStoredAlone() {
      return obstacle().isEmpty() && tensor.extents().get(along()) % elements() == 0;
    }
  }

  /** Why some matrix of a problem cannot be copied, and what to do about it. */
  public static Optional<String> obstacle(GemmProblem p, EpilogueArguments epilogue) {
    return obstacle(p).or(() -> outputs(p, epilogue).flatMap(c -> c.obstacle().stream()).findFirst());
  }

  /** Says why an operand of a problem cannot be copied, and what to do about it. */
  public static Optional<String> obstacle(GemmProblem p) {
    return Stream.of(new Copied("A", p.a().argument(p.m(), p.k(), p.batch()), p.types().a()),
        new Copied("B", p.b().argument(p.n(), p.k(), p.batch()), p.types().b()))
        .flatMap(c -> c.obstacle().stream()).findFirst();
  }

  /** Whether C and what else is stored can be copied, nothing beside them, all with neighbours along the same mode. */
  public static boolean storeAll(GemmProblem p, EpilogueArguments epilogue) {
    return outputs(p, epilogue).allMatch(Copied::isStoredAlone)
        && outputs(p, epilogue).mapToInt(Copied::along).distinct().count() == 1;
  }

  private static Stream<Copied> outputs(GemmProblem p, EpilogueArguments epilogue) {
    return Stream.concat(Stream.of(new Copied("C", p.c().argument(p.m(), p.n(), p.batch()), p.output())),
        epilogue.tree().nodes(Epilogue.Stored.class).stream()
            .map(s -> new Copied(s.name(), epilogue.tensors().get(s.name()), s.type())));
  }

  /** Whether all matrices that an epilogue reads can be copied, by rows or else by columns. */
  public static boolean reachSources(EpilogueArguments epilogue, boolean byRows) {
    int along = byRows ? 1 : 0;
    return epilogue.tree().nodes(Epilogue.Source.class).stream()
        .map(s -> new Copied(s.name(), epilogue.tensors().get(s.name()), s.type()))
        .allMatch(c -> c.along() == along && c.tensor.strides().get(along) == 1 && c.obstacle().isEmpty());
  }
}
