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
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The decoder beside transformers' recorded logits, and on other shapes beside the definition. Errors are at most 1.5
 * times those of the same model computed in bf16 step by step.
 */
class DecoderTest {
  private static final LlamaConfig ODD = new LlamaConfig(64, 1, 3, 3, 64, 42, 33, 500, 1e-6f, true);

  enum On {
    SIMULATOR(1, false), TWO_SIMULATORS(2, false), GPU(1, true), TWO_GPUS(2, true);

    private final int count;
    private final boolean real;

    On(int count, boolean real) {
      this.count = count;
      this.real = real;
    }

    Devices open() {
      assumeTrue(!real || Devices.gpus() >= count, "needed GPUs: " + count);
      return Devices.open(count, real ? Devices.gpus() : 0);
    }
  }

  @TempDir
  Path folder;

  @ParameterizedTest
  @EnumSource
  void promptsGetTheLogitsAndTheTokensOfTransformers(On on) throws Exception {
    var recorded = Recorded.load();
    int steps = recorded.tokens()[0].length;
    var pieces = new ArrayList<int[][]>();
    pieces.add(recorded.prompts());
    for (int step = 0; step < steps - 1; step++) pieces.add(column(recorded.tokens(), step));
    try (var devices = on.open(); var arena = Arena.ofShared()) {
      var from = Safetensors.open(recorded.folder(), arena);
      for (var ours : devices.run((ops, share) -> {
        var decoder = Decoder.load(from, recorded.model().config(), 16, ops, share);
        var texts = new Generator(decoder).generate(recorded.prompts(), steps, Sampler.greedy());
        return new Computed(texts.tokens(), logits(decoder, pieces));
      })) {
        assertArrayEquals(recorded.tokens(), ours.tokens);
        assertNear(recorded.logits(), recorded.bf16(), ours.logits);
      }
    }
  }

  private record Computed(int[][] tokens, float[] logits) {}

  /** Heads of their own, one layer, the embedding as head, widths that are no multiples of a tile, and two pieces. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void anotherShapeGetsTheLogitsOfTheDefinition(int count) throws IOException {
    var model = TinyModel.random(ODD, 2);
    var exact = flat(ReferenceDecoder.exact(model).logits(5, 32, 0, 1, 2));
    var rounded = flat(ReferenceDecoder.rounded(model).logits(5, 32, 0, 1, 2));
    try (var devices = Devices.open(count, 0); var arena = Arena.ofShared()) {
      var from = Safetensors.open(model.writeTo(folder), arena);
      var pieces = List.of(new int[][] {{5, 32, 0}}, new int[][] {{1, 2}});
      devices.run((ops, share) -> logits(Decoder.load(from, ODD, 16, ops, share), pieces))
          .forEach(ours -> assertNear(exact, rounded, ours));
    }
  }

  @Test
  void theDefinitionGivesTheLogitsOfTransformers() throws Exception {
    var recorded = Recorded.load();
    var exact = IntStream.range(0, recorded.prompts().length).mapToObj(recorded::ids)
        .map(ids -> flat(ReferenceDecoder.exact(recorded.model()).logits(ids))).toList();
    assertArrayEquals(recorded.logits(), joined(exact), 2e-5f);
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
