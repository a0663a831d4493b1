package llama;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Continues texts (batch, tokens) of one length: reads them at once, then chooses one token of each at a time. */
record Generator(Decoder decoder) {
  /** The tokens chosen, (batch, tokens), and the seconds until each text had its first and its last. */
  record Texts(int[][] tokens, double firstSeconds, double seconds) {}

  Texts generate(int[][] prompts, int tokens, Sampler sampler) {
    var texts = new int[prompts.length][tokens];
    try (var cache = new KvCache(decoder.ops(), decoder.config(), prompts.length, prompts[0].length + tokens)) {
      long begin = System.nanoTime();
      double first = 0;
      var next = prompts;
      for (int i = 0; i < tokens; i++) {
        next = choose(next, cache, sampler);
        for (int text = 0; text < texts.length; text++) texts[text][i] = next[text][0];
        if (i == 0) first = (System.nanoTime() - begin) / 1e9;
      }
      return new Texts(texts, first, (System.nanoTime() - begin) / 1e9);
    }
  }

  private int[][] choose(int[][] ids, KvCache cache, Sampler sampler) {
    try (var hidden = decoder.forward(ids, cache); var logits = decoder.logits(hidden.select(1, ids[0].length - 1))) {
      float[] all = logits.floats();
      int size = all.length / ids.length;
      var rows = IntStream.range(0, ids.length).mapToObj(i -> Arrays.copyOfRange(all, i * size, (i + 1) * size));
      return rows.map(row -> new int[] {sampler.choose(row)}).toArray(int[][]::new);
    }
  }
}
