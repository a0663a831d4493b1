package tilewright.sm90;

import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.stream.IntStream;
import tilewright.kernel.LaunchArguments;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;

/** Which matrices tensor copies can reach: rows, or columns, contiguous, each of them at a multiple of 16 bytes. */
public final class TensorCopies {
  private static final int BYTES = 16;

  private TensorCopies() {}

  /** Why some matrix of a problem cannot be copied, and what to do about it. */
  public static Optional<String> obstacle(GemmProblem p, EpilogueArguments epilogue) {
    record Copied(LaunchArguments.Tensor tensor, ElementType type) {}
    var all = new LinkedHashMap<String, Copied>();
    all.put("A", new Copied(p.a().argument(p.m(), p.k(), p.batch()), p.types().a()));
    all.put("B", new Copied(p.b().argument(p.n(), p.k(), p.batch()), p.types().b()));
    all.put("C", new Copied(p.c().argument(p.m(), p.n(), p.batch()), p.output()));
    epilogue.tree().outputs().forEach((name, type) -> {
      var tensor = epilogue.tensors().get(name);
      if (tensor.extents().size() == 3) all.put(name, new Copied(tensor, type));
    });
    return all.entrySet().stream()
        .flatMap(e -> obstacle(e.getKey(), e.getValue().tensor, e.getValue().type).stream()).findFirst();
  }

  /** Whether all matrices that an epilogue reads can be copied by rows. */
  static boolean reachSources(EpilogueArguments epilogue) {
    return epilogue.tree().nodes(Epilogue.Source.class).stream().allMatch(s -> {
      var tensor = epilogue.tensors().get(s.name());
      return tensor.strides().get(1) == 1 && obstacle(s.name(), tensor, s.type()).isEmpty();
    });
  }

  private static Optional<String> obstacle(String name, LaunchArguments.Tensor tensor, ElementType type) {
    int elements = BYTES * Byte.SIZE / type.bits();
    int along = tensor.strides().get(1) == 1 || tensor.strides().get(0) != 1 ? 1 : 0;
    if (tensor.strides().get(along) != 1 && tensor.extents().get(along) > 1) {
      return Optional.of(name + " has neither rows nor columns contiguous: copy it");
    }
    if (tensor.offset() % BYTES != 0) {
      return Optional.of(name + " begins " + tensor.offset() + " bytes into its buffer: a multiple of 16 is needed");
    }
    return IntStream.range(0, 3).filter(i -> i != along && tensor.extents().get(i) > 1)
        .mapToObj(tensor.strides()::get).filter(stride -> stride % elements != 0).findFirst()
        .map(stride -> name + " has rows, or columns, " + stride + " elements apart: pad them to "
            + Math.ceilDiv(stride, elements) * elements + ", a multiple of 16 bytes");
  }
}
