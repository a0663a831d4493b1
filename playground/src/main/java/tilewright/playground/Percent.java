package tilewright.playground;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Percent encoding of the values in an address's fragment; the characters of layouts stay as they are. */
final class Percent {
  private static final String PLAIN = "-_.~()!*':,;@/";
  private static final int RADIX = 16;

  private Percent() {}

  static String encode(String text) {
    var encoded = new StringBuilder();
    for (var b : text.getBytes(StandardCharsets.UTF_8)) {
      var c = (char) (b & 0xFF);
      if (isPlain(c)) {
        encoded.append(c);
      } else {
        encoded.append('%').append(Character.forDigit(c >> 4, RADIX)).append(Character.forDigit(c & 0xF, RADIX));
      }
    }
    return encoded.toString();
  }

  private static boolean isPlain(char c) {
    return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || PLAIN.indexOf(c) >= 0;
  }

  /** The text; a percent sign without two digits stands for itself. */
  static String decode(String encoded) {
    var bytes = new ByteArrayOutputStream();
    var given = encoded.getBytes(StandardCharsets.UTF_8);
    for (var i = 0; i < given.length; i++) {
      var high = i + 2 < given.length ? Character.digit((char) given[i + 1], RADIX) : -1;
      var low = i + 2 < given.length ? Character.digit((char) given[i + 2], RADIX) : -1;
      if (given[i] == '%' && high >= 0 && low >= 0) {
        bytes.write(high * RADIX + low);
        i += 2;
      } else {
        bytes.write(given[i]);
      }
    }
    return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
  }
}
