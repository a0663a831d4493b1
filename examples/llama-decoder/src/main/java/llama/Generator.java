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
        int[] chosen = choose(next, cache, sampler);
        for (int text = 0; text < chosen.length; text++) texts[text][i] = chosen[text];
        next = Arrays.stream(chosen).mapToObj(token -> new int[] {token}).toArray(int[][]::new);
        if (i == 0) first = (System.nanoTime() - begin) / 1e9;
      }
      return new Texts(texts, first, (System.nanoTime() - begin) / 1e9);
    }
  }

  private int[] choose(int[][] ids, KvCache cache, Sampler sampler) {
    int length = ids[0].length;
    try (var hidden = decoder.forward(ids, cache); var logits = decoder.logits(hidden.slice(1, length - 1, length))) {
      return IntStream.range(0, ids.length).map(i -> sampler.choose(logits.select(0, i).floats())).toArray();
    }
  }
}
