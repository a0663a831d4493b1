package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.reference.AttentionFactors;
import tilewright.reference.AttentionFactors.Blocks;
import tilewright.reference.AttentionFactors.TensorCores;
import tilewright.reference.AttentionReference;
import tilewright.reference.ScoreRule;
import tilewright.reference.TensorView;

/**
 * The growth of attention's error with the number of keys where Hopper's tensor cores sum 8-bit products: root mean
 * squares of the difference from FP64 attention of the same codes, over those of O. The sums are those of the model
 * that has every bit of {@code wgmma}; O is not rounded.
 *
 * <p>The measured errors are written to {@code target/errors}. The record of {@code mvn -Pfull} is
 * {@code docs/benchmarks/errors/attention-fp8-accumulation.json}.
 */
class AccumulationErrorTest {
  private static final int DIM = 64;
  private static final int COLUMNS = 16;
  private static final int QUERIES = LongSuite.EVERY_CASE ? 32 : 8;
  private static final int MOST_KEYS = LongSuite.EVERY_CASE ? 32768 : 2048;
  private static final int BLOCK = 64;
  private static final String FP32 = "fp32";
  private static final String ALL = "all";
  private static final String EACH = "1";

  /** An error for each arithmetic of sums. */
  private record Row(double mean, int keys, Map<String, Double> errors) {
    double of(String sums) {
      return errors.get(sums);
    }

    String json() {
      return String.format(Locale.ROOT, "{\"mean\": %.0f, \"keys\": %d, \"relative\": {%s}}", mean, keys,
          errors.entrySet().stream().map(e -> String.format(Locale.ROOT, "\"%s\": %.2e", e.getKey(), e.getValue()))
              .collect(Collectors.joining(", ")));
    }
  }

  @Test
  void sumsOfBlocksAreAsExactAsFp32WithAnyNumberOfKeys() throws IOException {
    var rows = new ArrayList<Row>();
    for (double mean : new double[] {0, 1}) {
      for (int keys = 1024; keys <= MOST_KEYS; keys *= 2) rows.add(measure(mean, keys));
    }
    write(rows);
    for (var row : rows) assertTrue(row.of(EACH) < 1.2 * row.of(FP32), row.toString());
    // Without a mean, what is cut off has both signs; with one, it adds up.
    var longest = rows.stream().filter(row -> row.keys == MOST_KEYS).toList();
    assertTrue(longest.getFirst().of(ALL) < 2 * longest.getFirst().of(FP32), longest.toString());
    assertTrue(longest.getLast().of(ALL) > 10 * longest.getLast().of(FP32), longest.toString());
  }

  private static Row measure(double mean, int keys) {
    var q = codes(QUERIES, DIM, 0, 1);
    var k = codes(keys, DIM, 0, 2);
    var v = codes(keys, COLUMNS, mean, 3);
    var exact = attention(q, k, v, TensorCores.FP32, AttentionFactors.ALL).exact().o();
    var errors = new LinkedHashMap<String, Double>();
    errors.put(FP32, relative(attention(q, k, v, TensorCores.FP32, AttentionFactors.ALL).stepwise().o(), exact));
    errors.put(ALL, relative(attention(q, k, v, TensorCores.SM90, AttentionFactors.ALL).stepwise().o(), exact));
    for (int together : new int[] {8, 4, 2, 1}) {
      errors.put("" + together, relative(attention(q, k, v, TensorCores.SM90, together).stepwise().o(), exact));
    }
    return new Row(mean, keys, errors);
  }

  private static AttentionReference attention(TensorView q, TensorView k, TensorView v, TensorCores tensorCores,
      int together) {
    var one = new Blocks(new TensorView(ElementType.F32, MemorySegment.ofArray(new float[] {1}),
        new Layout(IntTuple.flat(1, 1, 1), IntTuple.flat(0, 0, 0))), Integer.MAX_VALUE);
    var factors = new AttentionFactors(one, one, one, ElementType.E4M3, ElementType.F32, BLOCK, tensorCores)
        .promoted(together);
    return new AttentionReference(q, k, v, 1 / Math.sqrt(DIM), ScoreRule.NONE, Optional.of(factors));
  }

  private static TensorView codes(int rows, int dim, double mean, long seed) {
    var random = new SplittableRandom(seed);
    var codes = new TensorView(ElementType.E4M3, MemorySegment.ofArray(new byte[rows * dim]),
        new Layout(IntTuple.flat(1, rows, 1, dim), IntTuple.flat((long) rows * dim, dim, dim, 1)));
    for (long i = 0; i < codes.layout().size(); i++) {
      codes.setBits(i, ElementType.E4M3.fromDouble(mean + random.nextGaussian(), Rounding.NEAREST_EVEN));
    }
    return codes;
  }

  private static double relative(double[] ours, double[] exact) {
    double differences = 0;
    double squares = 0;
    for (int i = 0; i < ours.length; i++) {
      differences += (ours[i] - exact[i]) * (ours[i] - exact[i]);
      squares += exact[i] * exact[i];
    }
    return Math.sqrt(differences / squares);
  }

  private static void write(List<Row> rows) throws IOException {
    var folder = Files.createDirectories(Path.of("target", "errors"));
    Files.writeString(folder.resolve("attention-fp8-accumulation.json"), """
        {
          "on": "CPU, the model of wgmma's sums: root mean square error of O against FP64 attention, over O",
          "inputs": "Q, K of N(0,1), V of N(mean,1), in e4m3",
          "d": %d, "queries": %d, "block": %d,
          "rows": [
            %s
          ]
        }
        """.formatted(DIM, QUERIES, BLOCK, rows.stream().map(Row::json).collect(Collectors.joining(",\n    "))));
  }
}
