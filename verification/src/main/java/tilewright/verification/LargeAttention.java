package tilewright.verification;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.Chip;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.library.AttentionBackwardKernels;
import tilewright.numerics.ElementType;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.verification.cases.AttentionMods;

/**
 * Attention of usual size in every head dimension, with every feature. No case runs it, as its references would take
 * minutes.
 */
final class LargeAttention {
  private static final int LENGTH = 4096;
  private static final List<Integer> DIMS = List.of(32, 64, 96, 128, 192, 256);

  private LargeAttention() {}

  /** @param chip that the kernels keep the limits of, if it is not that of their own targets */
  static Stream<KernelConfiguration> all(Optional<Chip> chip) {
    var kernels = Stream.of(new Sm80AttentionKernel(), new Sm90AttentionKernel(), new Sm100AttentionKernel())
        .map(kernel -> limited(kernel, chip));
    return Stream.of(kernels.flatMap(kernel -> problems().map(named -> configuration(kernel, "", named))),
        problems().map(named -> configuration(limited(new Sm100AttentionKernel(true), chip), " cancelled launches",
            named)), hopperShapes(), gradients(chip)).flatMap(part -> part);
  }

  private static AttentionKernel limited(AttentionKernel kernel, Optional<Chip> chip) {
    return chip.map(gpu -> kernel.on(gpu.capability())).orElse(kernel);
  }

  private record Named(String name, AttentionProblem problem) {
    Named with(String more, UnaryOperator<AttentionProblem> change) {
      return new Named(name + more, change.apply(problem));
    }
  }

  /** The lists of blocks that a problem needs are made by another kernel. */
  private static KernelConfiguration configuration(AttentionKernel kernel, String more, Named named) {
    var problem = named.problem;
    return new KernelConfiguration(kernel.name(), "large " + named.name + more, () -> {
      kernel.refusal(problem).ifPresent(reason -> {
        throw new IllegalArgumentException(reason);
      });
      var launches = new ArrayList<PreparedLaunch>();
      if (problem.blockMask()) launches.add(kernel.blockMask(problem).prepare());
      launches.add(kernel.prepare(problem));
      return launches;
    });
  }

  /** The gradients, added up in any order and in a fixed one. */
  private static Stream<KernelConfiguration> gradients(Optional<Chip> chip) {
    var kernels = AttentionBackwardKernels.builtIn().all().stream()
        .map(kernel -> chip.map(gpu -> kernel.on(gpu.capability())).orElse(kernel));
    return kernels.flatMap(kernel -> Stream.concat(bands(), functions())
        .filter(named -> !named.problem.blockMask()).flatMap(named -> Stream.of(false, true).map(fixed ->
            new KernelConfiguration(kernel.name(), "large " + named.name + (fixed ? " deterministic" : ""), () -> {
              var problem = AttentionBackwardProblem.dense(named.problem).deterministic(fixed);
              kernel.refusal(problem).ifPresent(reason -> {
                throw new IllegalArgumentException(reason);
              });
              return kernel.prepare(problem).launches();
            }))));
  }

  private static Stream<Named> problems() {
    return Stream.of(bands(), functions(), few()).flatMap(part -> part);
  }

  private static Stream<Named> dense() {
    var square = DIMS.stream().map(dim -> new Named("D=" + dim, AttentionProblem.dense(ElementType.BF16,
        new Sizes(1, LENGTH, LENGTH, 2, 1, dim, dim))));
    return Stream.concat(square, Stream.of(new Named("D=192 Dv=128", AttentionProblem.dense(ElementType.BF16,
        new Sizes(1, LENGTH, LENGTH, 2, 1, 192, 128)))));
  }

  private static Stream<Named> bands() {
    return dense().flatMap(dense -> Stream.of(dense.with(" all", p -> p.with(Band.ALL)),
        dense.with(" causal", p -> p.with(Band.CAUSAL)), dense.with(" window", p -> p.with(Band.window(512, 0)))))
        .flatMap(plain -> Stream.of(plain,
            plain.with(" packed", p -> p.with(new Packed("cuQ", "cuK", 4, LENGTH / 2)))));
  }

  private static Stream<Named> functions() {
    var setups = AttentionMods.setups();
    return dense().flatMap(dense -> IntStream.range(0, setups.size()).mapToObj(i -> {
      var changed = setups.get(i).problem();
      return dense.with(" " + setups.get(i).name() + " " + i, p -> changed.blockMask()
          ? p.with(changed.modification()).skipping() : p.with(changed.modification()));
    }));
  }

  /** Few queries, of heads that share keys and may share a tile. */
  private static Stream<Named> few() {
    return DIMS.stream().flatMap(dim -> Stream.of(1, 16).flatMap(queries -> {
      var plain = new Named("Sq=" + queries + " D=" + dim, AttentionProblem.dense(ElementType.F16,
          new Sizes(4, queries, LENGTH, 16, 2, dim, dim)));
      return Stream.of(plain, plain.with(" causal", p -> p.with(Band.CAUSAL)),
          plain.with(" ALiBi", p -> p.with(AttentionMods.setups().get(3).problem().modification())));
    }));
  }

  /** Every shape that the Hopper kernel can be measured in. */
  private static Stream<KernelConfiguration> hopperShapes() {
    return dense().flatMap(named -> {
      var shapes = Sm90AttentionKernel.shapes(named.problem).toList();
      return IntStream.range(0, shapes.size()).mapToObj(i -> new KernelConfiguration("sm90_attention",
          "large " + named.name + " shape " + i,
          () -> List.of(Sm90AttentionKernel.prepare(named.problem, shapes.get(i)))));
    });
  }
}
