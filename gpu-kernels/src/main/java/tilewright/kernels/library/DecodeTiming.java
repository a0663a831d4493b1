package tilewright.kernels.library;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import tilewright.kernels.registry.TimedProblem;
import tilewright.kernels.registry.Timing;
import tilewright.kernels.registry.TimingRequest;

/** The timing of attention on one query of each sequence, where settings say nothing else: 32 heads on 8 of keys. */
record DecodeTiming(Timing timing) implements Timing {
  private static final Map<String, String> USUAL = Map.of("q", "1", "heads", "32", "share", "4", "d", "128", "causal",
      "false", "s", "1024,4096,16384,131072");

  @Override
  public Set<String> settings() {
    return timing.settings();
  }

  @Override
  public List<Supplier<TimedProblem>> problems(TimingRequest request) {
    var settings = new HashMap<>(USUAL);
    settings.putAll(request.settings());
    return timing.problems(new TimingRequest(settings, request.everyVariant(), request.size()));
  }
}
