package tilewright.cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Inputs that are almost what a reader expects: sound ones with some bytes changed, moved, or replaced by tokens. */
public final class Mutator {
  private static final int MOST_CHANGES = 4;

  private final SplittableRandom random;
  private final List<byte[]> seeds;
  private final List<byte[]> tokens;

  /** @param tokens what a reader of the format may trip over: extreme numbers, brackets, keywords */
  public Mutator(long seed, List<byte[]> seeds, String... tokens) {
    random = new SplittableRandom(seed);
    this.seeds = seeds;
    this.tokens = Arrays.stream(tokens).map(t -> t.getBytes(StandardCharsets.UTF_8)).toList();
  }

  public byte[] next() {
    var input = seeds.get(random.nextInt(seeds.size()));
    for (int i = random.nextInt(MOST_CHANGES) + 1; i > 0; i--) input = changed(input);
    return input;
  }

  private byte[] changed(byte[] input) {
    int at = random.nextInt(input.length + 1);
    int end = Math.min(input.length, at + 1 + random.nextInt(1 << random.nextInt(7)));
    return switch (random.nextInt(8)) {
      case 0 -> joined(input, at, new byte[0], end);
      case 1 -> joined(input, at, tokens.get(random.nextInt(tokens.size())), at);
      case 2 -> joined(input, at, tokens.get(random.nextInt(tokens.size())), end);
      case 3 -> joined(input, at, Arrays.copyOfRange(input, at, end), at);
      case 4 -> joined(input, at, new byte[] {(byte) random.nextInt(256)}, Math.min(input.length, at + 1));
      case 5 -> flipped(input, at);
      case 6 -> Arrays.copyOf(input, at);
      default -> {
        var other = seeds.get(random.nextInt(seeds.size()));
        int from = random.nextInt(other.length + 1);
        yield joined(input, at, Arrays.copyOfRange(other, from, Math.min(other.length, from + end - at)), end);
      }
    };
  }

  private byte[] flipped(byte[] input, int at) {
    if (at == input.length) return input;
    var result = input.clone();
    result[at] ^= (byte) (1 << random.nextInt(8));
    return result;
  }

  /** The input with what lies between two places replaced. */
  private static byte[] joined(byte[] input, int at, byte[] replacement, int end) {
    var out = new ByteArrayOutputStream();
    out.write(input, 0, at);
    out.writeBytes(replacement);
    out.write(input, end, input.length - end);
    return out.toByteArray();
  }
}
