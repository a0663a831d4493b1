package tilewright.cli.run;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;
import tilewright.cli.io.CommandFailure;

/** The options of {@code run attention} for its gradients. */
final class GradientOptions {
  @Option(names = "--backward", description = "Compute the gradients dQ, dK and dV from dO.")
  private boolean backward;

  @Option(names = "--do", paramLabel = "FILE", description = "The gradient by O.")
  private Optional<String> dO;

  @Option(names = "--o", paramLabel = "FILE",
      description = "O of the forward pass, with --lse its log-sum-exp (default: computed first).")
  private Optional<String> o;

  @Option(names = "--dq", paramLabel = "FILE", description = "Where dQ goes, laid out like Q.")
  private Optional<Path> dQ;

  @Option(names = "--dk", paramLabel = "FILE", description = "Where dK goes, laid out like K.")
  private Optional<Path> dK;

  @Option(names = "--dv", paramLabel = "FILE", description = "Where dV goes, laid out like V.")
  private Optional<Path> dV;

  @Option(names = "--gradient-of", paramLabel = "NAME=FILE",
      description = "Where the gradient of what --mod reads goes, in f32: of bias, slopes or table.")
  private Map<String, Path> captured = Map.of();

  @Option(names = "--deterministic", description = "Add in a fixed order: every run gives the same bits.")
  private boolean deterministic;

  boolean backward() {
    return backward;
  }

  boolean deterministic() {
    return deterministic;
  }

  String dO() {
    return dO.orElseThrow();
  }

  Optional<String> o() {
    return o;
  }

  /** Where gradients of captured tensors go, by the tensors' names. */
  Map<String, Path> captured() {
    return captured;
  }

  /** Where the gradients go, by their names. */
  Map<String, Path> outputs() {
    var paths = new LinkedHashMap<String, Path>();
    dQ.ifPresent(path -> paths.put("dQ", path));
    dK.ifPresent(path -> paths.put("dK", path));
    dV.ifPresent(path -> paths.put("dV", path));
    captured.forEach((name, path) -> paths.put("d" + name, path));
    return paths;
  }

  /** @throws CommandFailure naming options that are missing or that do not go together */
  void check(Optional<Path> out, Optional<Path> lse) {
    var given = new LinkedHashMap<String, Boolean>();
    given.put("--do", dO.isPresent());
    given.put("--dq", dQ.isPresent());
    given.put("--dk", dK.isPresent());
    given.put("--dv", dV.isPresent());
    if (!backward) {
      given.put("--o", o.isPresent());
      given.put("--gradient-of", !captured.isEmpty());
      given.put("--deterministic", deterministic);
      require(given(given, true).isEmpty(), "only with --backward: " + String.join(", ", given(given, true)));
      require(out.isPresent(), "missing --out: where O goes");
      return;
    }
    require(given(given, false).isEmpty(), "--backward needs --do, --dq, --dk and --dv; missing "
        + String.join(", ", given(given, false)));
    require(out.isEmpty(), "--out is where the forward pass puts O: leave it out, or --backward");
    require(o.isPresent() == lse.isPresent(),
        "--o and --lse of the forward pass go together: give both, or neither to compute them first");
  }

  private static List<String> given(Map<String, Boolean> options, boolean wanted) {
    return options.entrySet().stream().filter(e -> e.getValue() == wanted).map(Map.Entry::getKey).toList();
  }

  private static void require(boolean condition, String message) {
    if (!condition) throw CommandFailure.badInput(message);
  }
}
