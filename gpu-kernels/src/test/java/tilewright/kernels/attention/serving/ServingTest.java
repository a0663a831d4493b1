package tilewright.kernels.attention.serving;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernels.attention.serving.Serving.Pages;

class ServingTest {
  private static final int ROOM = 40;
  private static final Serving PAGED = Serving.NONE.withLengths("used").with(new Pages("table", 16, 5));

  private static String refusal(Map<String, MemorySegment> buffers) {
    return assertThrows(IllegalArgumentException.class, () -> PAGED.requireFit(buffers, 2, ROOM)).getMessage();
  }

  private static Map<String, MemorySegment> buffers(int[] used, int... table) {
    return Map.of("used", MemorySegment.ofArray(used), "table", MemorySegment.ofArray(table));
  }

  @Test
  void onlyPagesOfKeysInUseHaveToExist() {
    assertDoesNotThrow(() -> PAGED.requireFit(buffers(new int[] {17, 0}, 4, 0, -1, 99, 99, 99), 2, ROOM));
    assertEquals("invalid page 99 of batch entry 1 at place 0 of table: 0 to 4",
        refusal(buffers(new int[] {17, 1}, 4, 0, -1, 99, 99, 99)));
    assertEquals("invalid page -1 of batch entry 0 at place 2 of table: 0 to 4",
        refusal(buffers(new int[] {33, 1}, 4, 0, -1, 99, 99, 99)));
    assertEquals("invalid page 5 of batch entry 0 at place 1 of table: 0 to 4",
        refusal(buffers(new int[] {40, 40}, 4, 5, 3, 2, 1, 0)));
  }

  @Test
  void lengthsAreThoseOfKeysThatThereIsRoomFor() {
    assertEquals("invalid number of keys 41 of batch entry 1: 0 to 40", refusal(buffers(new int[] {0, 41}, new int[6])));
    assertEquals("invalid number of keys -1 of batch entry 0: 0 to 40", refusal(buffers(new int[] {-1, 1}, new int[6])));
  }

  @Test
  void buffersAreLargeEnough() {
    assertEquals("buffer table has 20 bytes: needed are 24", refusal(buffers(new int[2], new int[5])));
    assertEquals("no buffer used: there are [table]", refusal(Map.of("table", MemorySegment.ofArray(new int[6]))));
  }

  /** Without lengths, all keys are in use. */
  @Test
  void everyPageHasToExistWithoutLengths() {
    var paged = Serving.NONE.with(new Pages("table", 16, 5));
    assertEquals("invalid page 7 of batch entry 0 at place 2 of table: 0 to 4", assertThrows(
        IllegalArgumentException.class, () -> paged.requireFit(buffers(new int[0], 0, 1, 7), 1, ROOM)).getMessage());
  }

  /** Factors behind the keys in use may be anything; those of V are such that P times them is a number of f16. */
  @ParameterizedTest(name = "K {0}, V {1}")
  @CsvSource({"0, 1, 0.0 of K", "-1, 1, -1.0 of K", "NaN, 1, NaN of K", "Infinity, 1, Infinity of K",
      "1, 128.1, 128.1 of V", "1, 9e-7, 9.0E-7 of V", "1, NaN, NaN of V", "1e-30, 128, none",
      "1e30, 9.5367432e-7, none"})
  void factorsOfTokensHaveARange(float ofK, float ofV, String wrong) {
    var serving = Serving.NONE.withLengths("used").with(Serving.Codes.perToken(2, 2));
    float[] factors = {1, 1, 1, 1, 1, ofK, Float.NaN, Float.NaN};
    float[] others = {1, 1, 1, 1, 1, ofV, Float.NaN, Float.NaN};
    var buffers = Map.of("used", MemorySegment.ofArray(new int[] {2, 1}), "descaleK", MemorySegment.ofArray(factors),
        "descaleV", MemorySegment.ofArray(others));
    if (wrong.equals("none")) {
      assertDoesNotThrow(() -> serving.requireFactors(buffers, 2, 2, 2));
      return;
    }
    var message = assertThrows(IllegalArgumentException.class, () -> serving.requireFactors(buffers, 2, 2, 2))
        .getMessage();
    assertTrue(message.startsWith("invalid factor " + wrong + " of batch entry 1, key 0, head 1: needed is "), message);
  }
}
