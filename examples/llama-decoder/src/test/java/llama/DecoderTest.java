package llama;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.ops.Ops;

/**
 * The decoder beside transformers' recorded logits, and on other shapes beside the definition. Errors are at most 1.5
 * times those of the same model computed in bf16 step by step.
 */
class DecoderTest {
  private static final LlamaConfig ODD = new LlamaConfig(64, 1, 3, 3, 64, 40, 33, 500, 1e-6f, true);

  enum On {
    SIMULATOR, GPU;

    Ops open() {
      if (this == SIMULATOR) return Ops.simulator();
      var ops = Ops.open();
      if (!ops.isGpu()) ops.close();
      assumeTrue(ops.isGpu(), "no GPU");
      return ops;
    }
  }

  @TempDir
  Path folder;

  @ParameterizedTest
  @EnumSource
  void promptsGetTheLogitsAndTheTokensOfTransformers(On on) throws Exception {
    var recorded = Recorded.load();
    try (var ops = on.open(); var arena = Arena.ofConfined()) {
      var decoder = decoder(recorded.model().config(), recorded.folder(), ops, arena);
      int steps = recorded.tokens()[0].length;
      assertArrayEquals(recorded.tokens(),
          new Generator(decoder).generate(recorded.prompts(), steps, Sampler.greedy()).tokens());

      var pieces = new ArrayList<int[][]>();
      pieces.add(recorded.prompts());
      for (int step = 0; step < steps - 1; step++) pieces.add(column(recorded.tokens(), step));
      assertNear(recorded.logits(), recorded.bf16(), logits(decoder, pieces));
    }
  }

  /** Heads of their own, one layer, the embedding as head, a width that is no multiple of a tile, and two pieces. */
  @Test
  void anotherShapeGetsTheLogitsOfTheDefinition() throws IOException {
    var model = TinyModel.random(ODD, 2);
    try (var ops = Ops.simulator(); var arena = Arena.ofConfined()) {
      var decoder = decoder(ODD, model.writeTo(folder), ops, arena);
      var ours = logits(decoder, List.of(new int[][] {{5, 32, 0}}, new int[][] {{1, 2}}));
      assertNear(flat(ReferenceDecoder.exact(model).logits(5, 32, 0, 1, 2)),
          flat(ReferenceDecoder.rounded(model).logits(5, 32, 0, 1, 2)), ours);
    }
  }

  @Test
  void theDefinitionGivesTheLogitsOfTransformers() throws Exception {
    var recorded = Recorded.load();
    var exact = IntStream.range(0, recorded.prompts().length).mapToObj(recorded::ids)
        .map(ids -> flat(ReferenceDecoder.exact(recorded.model()).logits(ids))).toList();
    assertArrayEquals(recorded.logits(), joined(exact), 2e-5f);
  }

  private static Decoder decoder(LlamaConfig config, Path model, Ops ops, Arena arena) throws IOException {
    return Decoder.of(config, Weights.load(Safetensors.open(model, arena), config, ops), 16, ops);
  }

  private static int[][] column(int[][] tokens, int step) {
    return Arrays.stream(tokens).map(text -> new int[] {text[step]}).toArray(int[][]::new);
  }

  /** Returns the logits text by text and position by position, of texts in pieces. */
  private static float[] logits(Decoder decoder, List<int[][]> pieces) {
    int batch = pieces.getFirst().length;
    var texts = Stream.generate(() -> new ArrayList<float[]>()).limit(batch).toList();
    try (var cache = new KvCache(decoder.ops(), decoder.config(), batch, 16)) {
      for (var piece : pieces) {
        try (var hidden = decoder.forward(piece, cache); var logits = decoder.logits(hidden)) {
          for (int i = 0; i < batch; i++) texts.get(i).add(logits.select(0, i).floats());
        }
      }
    }
    return joined(texts.stream().map(DecoderTest::joined).toList());
  }

  private static void assertNear(float[] exact, float[] rounded, float[] ours) {
    assertEquals(exact.length, ours.length);
    double error = largest(exact, ours);
    double allowed = 1.5 * largest(exact, rounded);
    assertTrue(error <= allowed, "error " + error + ", allowed " + allowed);
  }

  private static double largest(float[] exact, float[] other) {
    return IntStream.range(0, exact.length).mapToDouble(i -> Math.abs(exact[i] - other[i])).max().orElseThrow();
  }

  private static float[] flat(double[][] rows) {
    return joined(Arrays.stream(rows).map(row -> {
      var floats = new float[row.length];
      for (int i = 0; i < row.length; i++) floats[i] = (float) row[i];
      return floats;
    }).toList());
  }

  private static float[] joined(List<float[]> parts) {
    var whole = new float[parts.stream().mapToInt(part -> part.length).sum()];
    int at = 0;
    for (var part : parts) {
      System.arraycopy(part, 0, whole, at, part.length);
      at += part.length;
    }
    return whole;
  }
}
