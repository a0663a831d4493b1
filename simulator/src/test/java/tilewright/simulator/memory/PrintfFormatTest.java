package tilewright.simulator.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** C's conversions; what is expected was printed by glibc's printf. */
class PrintfFormatTest {
  private static String format(String format, ByteBuffer arguments) {
    return PrintfFormat.format(format, (offset, bytes) -> bytes == 4 ? arguments.getInt(offset)
        : arguments.getLong(offset), Map.of(8L, "text", 16L, "")::get);
  }

  private static ByteBuffer buffer() {
    return ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', quoteCharacter = '`', value = {"%d;-42;-42", "[%5d];42;[   42]", "[%-5d];42;[42   ]",
      "[%05d];-42;[-0042]", "[%+d];7;[+7]", "[% d];7;[ 7]", "[%.4d];42;[0042]", "[%8.4d];-42;[   -0042]",
      "[%.0d];0;[]", "%u;-1;4294967295", "%x;255;ff", "%#X;255;0XFF", "%#o;8;010", "[%#08x];255;[0x0000ff]",
      "%hhd;511;-1", "%hd;65535;-1", "%hhu;511;255", "%c;65;A", "[%3c];65;[  A]", "100%%;0;100%", "%q;5;%q",
      "%i and;3;3 and"})
  void words(String format, int argument, String want) {
    assertEquals(want, format(format, buffer().putInt(argument)));
  }

  @ParameterizedTest
  @CsvSource({"%lld,-5000000000,-5000000000", "%lu,-1,18446744073709551615", "%llx,-1,ffffffffffffffff", "%zu,7,7",
      "%p,255,0xff", "%p,0,(nil)", "%s,8,text", "[%6s],8,[  text]", "[%-6s],8,[text  ]", "[%.2s],8,[te]",
      "[%s],16,[]", "%s,0,(null)"})
  void longsPointersAndStrings(String format, long argument, String want) {
    assertEquals(want, format(format, buffer().putLong(argument)));
  }

  @ParameterizedTest
  @CsvSource({"%f,1.5,1.500000", "%.2f,2.675,2.67", "%.0f,2.5,2", "%#.0f,2.5,2.", "[%8.3f],-3.14159,[  -3.142]",
      "[%-8.1f],3.14159,[3.1     ]", "[%08.2f],-1.5,[-0001.50]", "%e,12345.678,1.234568e+04", "%.0e,15000,2e+04",
      "%E,1e-7,1.000000E-07", "%g,0.0001,0.0001", "%g,0.00001234,1.234e-05", "%g,123456,123456",
      "%g,1234567,1.23457e+06", "%g,100,100", "%#g,1,1.00000", "%G,1e20,1E+20", "%f,NaN,nan", "%F,-Infinity,-INF",
      "[%5f],Infinity,[  inf]", "%g,0,0", "%e,0,0.000000e+00", "%a,1,0x1p+0", "%a,0.1,0x1.999999999999ap-4",
      "%.3g,9999,1e+04", "%f,1e22,10000000000000000000000.000000"})
  void floatingPointNumbers(String format, double argument, String want) {
    assertEquals(want, format(format, buffer().putDouble(argument)));
  }

  @Test
  void argumentsAreAlignedToTheirSizesAndStarsTakeTheirs() {
    var arguments = buffer().putInt(0, 7).putDouble(8, 0.25).putInt(16, -6).putInt(20, 2).putDouble(24, 1)
        .putInt(32, 9);
    assertEquals("7 0.25 [1.00  ] 9", format("%d %.2f [%*.*f] %d", arguments));
  }
}
