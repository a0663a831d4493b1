package tilewright.verification.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.library.AttentionForm;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.kernels.registry.TimedProblem;
import tilewright.verification.KernelConfiguration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The settings of {@code bench} that lead to what a record has measured.
 *
 * @param settings of a family all that it has, of another kernel those that differ from the suite's
 */
record RecordedSettings(String kernel, Map<String, String> settings) {
  private static final int SIZE = 4096;
  private static final String SHAPE = "(?<m>\\d+)x(?<n>\\d+)x(?<k>\\d+)";
  private static final String TYPES = "(?<a>\\w+)(\\*(?<b>\\w+))?->(?<out>\\w+)( (?<accumulation>exact|scaled))?"
      + "( acc=(?<acc>f16))?";
  private static final Pattern GEMM = Pattern.compile(SHAPE + " (?<order>[TN]{2}) " + TYPES
      + "[^a-z].*?(?<ahead> weights ahead)?( epilogue (?<epilogue>\\S+))?");
  private static final Pattern GROUPED = Pattern.compile(SHAPE + " " + TYPES + " 8 groups (?<grouping>\\w+)");
  private static final Pattern LADDER = Pattern.compile(SHAPE + " step (?<step>\\d+): .*");
  private static final Pattern ATTENTION = Pattern.compile("(?<dtype>\\w+)(->(?<out>\\w+))? B=(?<batch>\\d+)"
      + "( Sq=(?<queries>\\d+))? S<?=(?<keys>\\d+) H=(?<heads>\\d+)( Hk=(?<keyHeads>\\d+))? D=(?<dim>\\d+)"
      + "(?<causal> causal)?(?<promoted> promoted)?(?<deterministic> deterministic)?( (?<form>\\S+))?");
  /** Records of a special question name a product and its types only. */
  private static final Pattern PROBLEM = Pattern.compile(SHAPE + " (?<order>TN) " + TYPES + ".*");

  RecordedSettings {
    settings = Map.copyOf(settings);
  }

  /** The settings that a record names, wherever in it; those of kernels that the suite lacks are left out. */
  static List<RecordedSettings> in(KernelRegistry registry, String record) {
    var all = new ArrayList<RecordedSettings>();
    collect(registry, JsonMapper.shared().readTree(record), all);
    return all;
  }

  private static void collect(KernelRegistry registry, JsonNode node, List<RecordedSettings> all) {
    if (node.path("kernel").isString() && node.path("config").isString()) {
      of(registry, node.get("kernel").asString(), node.get("config").asString()).ifPresent(all::add);
    }
    var problem = node.path("problem").asString(node.path("shape").asString(""));
    match(PROBLEM, problem + " TN " + node.path("types").asString("bf16->bf16")).map(m -> gemm("sm90_gemm", m))
        .ifPresent(all::add);
    for (var child : node) collect(registry, child, all);
  }

  private static Optional<RecordedSettings> of(KernelRegistry registry, String kernel, String config) {
    var family = registry.family(kernel);
    if (family.isPresent()) return family.map(f -> new RecordedSettings(kernel, chosen(f, config)));
    return switch (kernel) {
      case "sm80_gemm", "sm90_gemm", "sm90_scaled_gemm", "sm90_mixed_gemm" ->
          match(GEMM, config).map(m -> gemm(kernel, m));
      case "sm90_grouped_gemm" -> match(GROUPED, config).map(m -> grouped(kernel, m));
      case "sm90_ladder" -> match(LADDER, config).map(m -> new RecordedSettings(kernel,
          Map.of("shape", shape(m), "step", m.group("step"))));
      case "sm80_attention", "sm90_attention", "sm80_attention_backward", "sm90_attention_backward" ->
          match(ATTENTION, config).map(m -> attention(kernel, m));
      default -> Optional.empty();
    };
  }

  private static Optional<MatchResult> match(Pattern pattern, String text) {
    var matcher = pattern.matcher(text);
    return matcher.matches() ? Optional.of(matcher.toMatchResult()) : Optional.empty();
  }

  private static Map<String, String> chosen(Family family, String config) {
    var values = new HashMap<>(family.defaults().values());
    for (var setting : config.split(" ")) {
      int equals = setting.indexOf('=');
      if (equals > 0) values.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return values;
  }

  private static RecordedSettings gemm(String kernel, MatchResult m) {
    // The suite's SM80 GEMM is of all its types.
    if (kernel.equals("sm80_gemm")) {
      return new RecordedSettings(kernel, Map.of("order", m.group("order"), "shape", shape(m)));
    }
    var settings = new HashMap<>(Map.of("order", m.group("order"), "dtype", m.group("a"), "out", m.group("out")));
    put(settings, "dtypeb", m.group("b"));
    put(settings, "accumulation", m.group("accumulation"));
    put(settings, "acc", m.group("acc"));
    if (!m.namedGroups().containsKey("epilogue") || m.group("epilogue") == null) {
      settings.put("shape", shape(m));
    } else {
      for (var extent : List.of("m", "n", "k")) settings.put(extent, m.group(extent));
      settings.put("epilogue", m.group("epilogue"));
    }
    if (m.namedGroups().containsKey("ahead") && m.group("ahead") != null) settings.put("weights", "ahead");
    boolean scaled = "scaled".equals(m.group("accumulation")) && kernel.equals("sm90_gemm");
    return new RecordedSettings(scaled ? "sm90_scaled_gemm" : kernel, settings);
  }

  private static RecordedSettings grouped(String kernel, MatchResult m) {
    var settings = new HashMap<>(Map.of("dtype", m.group("a"), "out", m.group("out"), "grouping",
        m.group("grouping")));
    for (var extent : List.of("m", "n", "k")) settings.put(extent, m.group(extent));
    put(settings, "accumulation", m.group("accumulation"));
    return new RecordedSettings(kernel, settings);
  }

  private static RecordedSettings attention(String kernel, MatchResult m) {
    var form = m.group("form") == null ? AttentionForm.PLAIN.name() : m.group("form");
    var settings = new HashMap<>(Map.of("dtype", m.group("dtype"), "d", m.group("dim"), "s", m.group("keys"),
        "causal", "" + (m.group("causal") != null), "form", form, "heads", m.group("heads")));
    put(settings, "out", m.group("out"));
    if (!form.equals(AttentionForm.VARLEN.name())) settings.put("b", m.group("batch"));
    if (m.group("promoted") != null) settings.put("accumulation", "promoted");
    if (m.group("deterministic") != null) settings.put("deterministic", "true");
    put(settings, "q", m.group("queries"));
    if (m.group("keyHeads") != null) {
      settings.put("share", "" + Integer.parseInt(m.group("heads")) / Integer.parseInt(m.group("keyHeads")));
    }
    return new RecordedSettings(kernel, settings);
  }

  private static void put(Map<String, String> settings, String name, String value) {
    if (value != null) settings.put(name, value);
  }

  private static String shape(MatchResult m) {
    return m.group("m") + "x" + m.group("n") + "x" + m.group("k");
  }

  /** The settings without a shape: problems of one form are computed by the same kernels. */
  RecordedSettings form() {
    var form = new HashMap<>(settings);
    form.remove("shape");
    return new RecordedSettings(kernel, form);
  }

  /** The kernel with the settings, named by the settings and a number among the kernel's problems. */
  Stream<KernelConfiguration> configurations(KernelRegistry registry, boolean everyVariant) {
    var family = registry.family(kernel);
    if (family.isPresent() && !settings.isEmpty()) return Stream.of(configuration(family.get()));
    var options = new Benchmark.Options(List.of(kernel), settings, everyVariant, SIZE, 0, Optional.empty(), "");
    var problems = new Suite(registry, options).of(kernel);
    var name = new TreeMap<>(settings).entrySet().stream().map(e -> e.getKey() + "=" + e.getValue())
        .collect(Collectors.joining(" ", "bench ", ""));
    return IntStream.range(0, problems.size()).mapToObj(i -> new KernelConfiguration(kernel, name + " " + i,
        () -> launches(problems.get(i).get())));
  }

  private KernelConfiguration configuration(Family family) {
    var choice = family.defaults().with(settings);
    return new KernelConfiguration(kernel, choice.toString(), () -> {
      family.requireSupported(choice);
      return List.of(family.workload(choice).launch());
    });
  }

  private static List<PreparedLaunch> launches(TimedProblem measured) {
    return Stream.concat(measured.before().stream(), measured.launches().launches().stream()).toList();
  }
}
