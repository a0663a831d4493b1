package tilewright.cli.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.stream.Stream;
import tilewright.cli.io.CommandFailure;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Masks;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernel.collective.attention.Scores;

/** The ready-made masks and functions of scores by the names of {@code --mask} and {@code --mod}. */
final class NamedMods {
  private static final SequencedMap<String, Function<ModArguments, MaskMod>> MASKS = masks();
  private static final SequencedMap<String, Function<ModArguments, ScoreMod>> SCORES = scores();

  private NamedMods() {}

  private static SequencedMap<String, Function<ModArguments, MaskMod>> masks() {
    var all = new LinkedHashMap<String, Function<ModArguments, MaskMod>>();
    all.put("causal", a -> Masks.causal());
    all.put("prefix", a -> a.isFile(0) ? Masks.prefixLm(a.integers(0, "prefixes", 1)) : Masks.prefixLm(a.number(0)));
    all.put("window", a -> Masks.slidingWindow(a.number(0)));
    all.put("chunked", a -> Masks.chunked(a.number(0)));
    all.put("document", a -> Masks.document(a.perPosition(0, "documents")));
    all.put("dilated", a -> Masks.dilatedSlidingWindow(a.number(0), a.number(1)));
    all.put("global", a -> Masks.globalTokens(a.number(0)));
    all.put("natten2d", a -> Masks.natten2d(a.number(0), a.number(1), a.number(2), a.number(3)));
    all.put("natten3d", a -> Masks.natten3d(a.number(0), a.number(1), a.number(2), a.number(3), a.number(4),
        a.number(5)));
    all.put("tree", a -> Masks.tree(a.integers(0, "ancestors", 2), a.number(1)));
    all.put("transfusion", a -> Masks.transfusion(a.perPosition(0, "spans")));
    return all;
  }

  private static SequencedMap<String, Function<ModArguments, ScoreMod>> scores() {
    var all = new LinkedHashMap<String, Function<ModArguments, ScoreMod>>();
    all.put("alibi", a -> a.count() == 0 ? Scores.alibi(a.sizes().heads()) : Scores.alibi(a.numbers(0, "slopes", 1)));
    all.put("bias", a -> Scores.bias(a.numbers(0, "bias", 0)));
    all.put("relative", a -> a.count() < 2 ? Scores.relative(a.numbers(0, "table", 2), a.sizes().queries())
        : Scores.relative(a.numbers(0, "table", 2), a.below(1, "buckets", 0, "table"), a.sizes().queries()));
    all.put("softcap", a -> ScoreMod.softcap(a.positive(0)));
    all.put("softcap-approximate", a -> Scores.softcapApproximate(a.positive(0)));
    return all;
  }

  /**
   * The mask that a text such as {@code causal|global:4} or {@code !window:128} describes.
   *
   * @param arguments of a name and what follows it
   */
  static MaskMod mask(String text, Function<List<String>, ModArguments> arguments) {
    return Stream.of(text.split("\\|", -1)).map(part -> {
      boolean negated = part.startsWith("!");
      var mask = named("--mask", negated ? part.substring(1) : part, MASKS, arguments);
      return negated ? mask.not() : mask;
    }).reduce(MaskMod::or).orElseThrow();
  }

  /** The function that a text such as {@code alibi:slopes.npy} describes. */
  static ScoreMod score(String text, Function<List<String>, ModArguments> arguments) {
    return named("--mod", text, SCORES, arguments);
  }

  private static <T> T named(String option, String text, SequencedMap<String, Function<ModArguments, T>> all,
      Function<List<String>, ModArguments> arguments) {
    int colon = text.indexOf(':');
    var name = colon < 0 ? text : text.substring(0, colon);
    var made = all.get(name);
    if (made == null) {
      throw CommandFailure.badInput("invalid " + option + " " + text + ": " + String.join(", ", all.keySet()));
    }
    var words = colon < 0 ? List.<String>of() : List.of(text.substring(colon + 1).split(",", -1));
    try {
      return made.apply(arguments.apply(words));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput("invalid " + option + " " + text + ": " + e.getMessage());
    }
  }
}
