package tilewright.cli.wheel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tilewright.cli.wheel.OperatorCase.Derived;
import tilewright.kernel.LaunchSequence;
import tilewright.kernels.choice.Formula;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.Sm90MlaDecodeKernel;

/**
 * The schedule by which {@link LatentDecode} shares a batch among CTAs, from lengths on the device: it is the same for
 * all layers. Numbers are B, R, rows of an entry (queries of all heads), and Sk, the most keys of an entry.
 */
final class LatentSchedule implements PackagedOperator {
  /** The CTAs of a tile of queries. */
  private static final List<Derived> WORKERS = LatentDecode.workers(Formula.of("R"));
  /** Heads whose tiles are full of any number of rows. */
  private static final int HEADS = 8;
  private static final int MOST_BATCH = 1 << 10;
  private static final int MOST_QUERIES = 1 << 8;
  private static final int MOST_PAGES = 1 << 12;

  @Override
  public String name() {
    return "mla_schedule";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    if (capability != LatentDecode.HOPPER) return Stream.of();
    return Stream.of(new OperatorCase("any", List.of(), List.of("B", "R"), List.of(), List.of(), new Problem())
        .deriving(WORKERS));
  }

  private record Problem() implements OperatorCase.Problem {
    @Override
    public Map<String, Long> draw(Map<String, Long> axes, RandomGenerator random) {
      var n = new HashMap<String, Long>();
      n.put("B", 1L + random.nextInt(MOST_BATCH));
      n.put("R", 1L + random.nextInt(HEADS * MOST_QUERIES));
      n.put("Sk", (long) LatentDecode.PAGE * (1 + random.nextInt(MOST_PAGES)));
      Derived.addTo(n, WORKERS);
      return n;
    }

    @Override
    public LaunchSequence prepare(Map<String, Long> n) {
      var all = new HashMap<>(n);
      all.putAll(Map.of("Sq", Math.ceilDiv(n.get("R"), HEADS), "H", (long) HEADS, "P", 1L));
      for (var tensor : List.of("q", "k", "o", "lse")) {
        for (var mode : List.of("b", "s", "h")) all.put(tensor + "_" + mode, (long) AttentionKind.VECTOR);
      }
      return LaunchSequence.of(new Sm90MlaDecodeKernel().schedule(LatentDecode.problem(ElementType.BF16, all)));
    }
  }
}
