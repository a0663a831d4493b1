package tilewright.ptx;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The words of a PTX text in one spelling, found with regular expressions: comments and what the parser documents as
 * dropped are gone, numbers have one form. Knows nothing of the lexer, so that it can judge parser and printer.
 */
final class Words {
  private static final Pattern DROPPED = Pattern.compile("//[^\n]*|/\\*.*?\\*/|\\.section\\s+\\S+\\s*\\{.*?\\}"
      + "|\\.ptr(\\s+\\.global)?(\\s+\\.align\\s+\\d+)?"
      + "|,\\s*function_name[^,]*,\\s*inlined_at \\d+ \\d+ \\d+", Pattern.DOTALL);
  private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|0[fFdD][0-9a-fA-F]{8,16}|0[xX][0-9a-fA-F]+"
      + "|\\d+\\.\\d+|[%$.\\w]+(?:::\\w+|\\.\\w+)*|\\S");

  private Words() {}

  static List<String> of(String text) {
    var words = new ArrayList<String>();
    WORD.matcher(DROPPED.matcher(text).replaceAll(" ")).results().forEach(word -> add(words, word.group()));
    return words;
  }

  private static void add(List<String> words, String word) {
    if (word.equals("]") && endsWith(words, "+", "0")) {
      words.subList(words.size() - 2, words.size()).clear();
    }
    words.add(spelled(words, word));
    // .reg .b32 a, b; may be written as two declarations
    int comma = words.size() - 1;
    if (word.equals(",") && words.size() > 3 && words.get(comma - 3).equals(".reg")) {
      words.set(comma, ";");
      words.addAll(List.of(".reg", words.get(comma - 2)));
    }
  }

  private static boolean endsWith(List<String> words, String first, String second) {
    int size = words.size();
    return size > 2 && words.get(size - 2).equals(first) && words.get(size - 1).equals(second);
  }

  private static String spelled(List<String> before, String word) {
    boolean version = !before.isEmpty() && before.getLast().equals(".version");
    if (version || !Character.isDigit(word.charAt(0))) return word;
    if (word.matches("0[fFdD].*")) return word.toLowerCase();
    if (word.contains(".")) return "0d%016x".formatted(Double.doubleToRawLongBits(Double.parseDouble(word)));
    boolean hexadecimal = word.startsWith("0x");
    return String.valueOf(new BigInteger(hexadecimal ? word.substring(2) : word, hexadecimal ? 16 : 10).longValue());
  }
}
