package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs that two layouts share, known from CuTe C++ or by hand. */
class MaxCommonTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (4,4):(1,4)           | ((2,2),4):((1,8),2)   | 2:1
      ((2,2),(2,2)):((8,2),(4,1)) | ((2,2),(2,2)):((4,2),(8,1)) | (2,2):(8,2)
      (4,2):(2,1)           | 8:1                   | 1:0
      8:1                   | (2,4):(1,2)           | 8:1
      (6,5):(5,1)           | (10,3):(3,1)          | 1:0
      (12,2):(1,16)         | (24):(1)              | 12:1
      """)
  void isTheRunThatBothAddress(String a, String b, String common) {
    assertEquals(Layout.parse(common), Layout.parse(a).maxCommonLayout(Layout.parse(b)));
  }

  @Test
  void bothUndoItAsFarAsItGoes() {
    var layouts = new ArrayList<Layout>();
    Layouts.each(2, 3, 4, layouts::add);
    for (var a : layouts) {
      for (var b : layouts) {
        var common = a.maxCommonLayout(b);
        for (long i = 0; i < common.size(); i++) {
          assertEquals(i, a.apply(common.apply(i)), a + " and " + b);
          assertEquals(i, b.apply(common.apply(i)), a + " and " + b);
        }
        assertEquals(b.maxCommonLayout(a).size(), a.maxCommonLayout(b).size(), a + " and " + b);
      }
    }
  }
}
