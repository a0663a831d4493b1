package tilewright.simulator.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Damages PTX text: its tokens, operands, types, modifiers, numbers and lines. */
final class PtxMutator {
  private static final String BOUNDARY = "(?<=[\\s,;\\[\\]{}()<>.+|@!])|(?=[\\s,;\\[\\]{}()<>.+|@!])";
  private static final List<String> OPERANDS = List.of("%l1", "%l2", "%l3", "%r1", "%r2", "%r3", "%h1", "%h2", "%f1",
      "%f2", "%d1", "%d2", "%q1", "%q2", "%x1", "%x2", "%b1", "%tid.x", "%ctaid.z", "%tid", "%clock64", "%clock",
      "%laneid", "%lanemask_lt", "%envreg3", "%pm0", "%globaltimer", "%smid", "%nosuch", "_", "smem", "own", "data",
      "mine", "table", "arg0", "map", "f", "END", "WARP_SZ", "1.5", "0f3F800000", "0d3FF0000000000000", "{%r1,%r2}",
      "{%f1,%f2}", "{%l1,%l2}", "{%r1,%r2,%r3,%r4}", "{%h1,%h2}", "[%l2]", "[%r1]", "[own]", "[%l2+4]", "%q1|%q2",
      "!%q1", "(%r1)", "own+4", "[%q1]", "[%f1]", "{}", "{_, _}");
  private static final List<String> NUMBERS = List.of("0", "1", "-1", "2", "3", "7", "8", "16", "31", "32", "33", "63",
      "64", "65", "127", "128", "255", "256", "1024", "65535", "65536", "2147483647", "2147483648", "-2147483648",
      "4294967295", "4294967296", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
      "99999999999999999999", "0x7fffffffffffffff", "1e308", "0f7FC00000", "-0.0");
  private static final List<String> TYPES = List.of("pred", "b8", "u8", "s8", "b16", "u16", "s16", "f16", "bf16",
      "b32", "u32", "s32", "f32", "f16x2", "bf16x2", "b64", "u64", "s64", "f64", "f32x2", "b128", "tf32", "e4m3",
      "e5m2", "e4m3x2", "u4", "s4", "b1", "v2", "v4", "v8");

  private final List<String> words;

  /** @param words that occur in names of instructions */
  PtxMutator(List<String> words) {
    this.words = words;
  }

  String mutate(String text, SplittableRandom random) {
    var mutated = text;
    for (int edits = 1 + random.nextInt(3); edits > 0; edits--) {
      mutated = random.nextInt(8) == 0 ? lines(mutated, random) : tokens(mutated, random);
    }
    return mutated;
  }

  private static <T> T one(List<T> list, SplittableRandom random) {
    return list.get(random.nextInt(list.size()));
  }

  private static String lines(String text, SplittableRandom random) {
    var lines = new ArrayList<>(List.of(text.split("\n", -1)));
    int at = random.nextInt(lines.size());
    int other = random.nextInt(lines.size());
    switch (random.nextInt(4)) {
      case 0 -> lines.remove(at);
      case 1 -> lines.add(other, lines.get(at));
      case 2 -> lines.set(at, lines.set(other, lines.get(at)));
      default -> lines.add(other, lines.remove(at));
    }
    return String.join("\n", lines);
  }

  private String tokens(String text, SplittableRandom random) {
    var tokens = new ArrayList<>(Arrays.asList(text.split(BOUNDARY)));
    // Most of the edits go to the instructions behind the declarations.
    int from = random.nextInt(8) == 0 ? 0 : tokens.size() / 2;
    int at = from + random.nextInt(Math.max(1, tokens.size() - from));
    switch (random.nextInt(14)) {
      case 0 -> tokens.remove(at);
      case 1 -> tokens.add(at, tokens.get(at));
      case 2 -> tokens.set(at, one(tokens, random));
      case 3 -> tokens.add(at, one(tokens, random));
      case 4 -> tokens.set(at, String.valueOf((char) (random.nextInt(8) == 0 ? random.nextInt(0x3000)
          : random.nextInt(128))));
      case 5 -> tokens.set(like(tokens, at, "-?[0-9].*"), one(NUMBERS, random));
      case 6, 7, 8 -> tokens.set(like(tokens, at, "%.*|[0-9].*"), one(OPERANDS, random));
      case 9, 10 -> tokens.set(like(tokens, at, "[bsuf](8|16|32|64|128)|pred|[a-z0-9]*x2|v[248]"), one(TYPES, random));
      case 11 -> tokens.set(like(tokens, at, "[a-z][a-z0-9_:]*"), one(words, random));
      case 12 -> tokens.add(like(tokens, at, "[a-z][a-z0-9_:]*"), one(words, random) + ".");
      default -> {
        if (random.nextInt(3) == 0) tokens.subList(at, tokens.size()).clear();
        else tokens.set(at, one(OPERANDS, random));
      }
    }
    return String.join("", tokens);
  }

  /** The next token of that form; the given one if there is none. */
  private static int like(List<String> tokens, int at, String form) {
    for (int i = at; i < tokens.size(); i++) if (tokens.get(i).matches(form)) return i;
    return at;
  }
}
