package tilewright.ptx;

import java.util.Arrays;
import java.util.Optional;

/**
 * A GPU architecture, such as {@code sm_90a}.
 *
 * @param suffix {@code a} (this architecture only), {@code f} (its family) or a space
 */
record Target(int number, char suffix) {

  static Optional<Target> parse(String text) {
    if (!text.matches("sm_[0-9]{2,3}[af]?")) return Optional.empty();
    char last = text.charAt(text.length() - 1);
    String digits = text.replaceAll("[^0-9]", "");
    return Optional.of(new Target(Integer.parseInt(digits), Character.isDigit(last) ? ' ' : last));
  }

  /** Whether this target meets one of the alternatives of the table, such as {@code 90a|100f}. */
  boolean meets(String alternatives) {
    return Arrays.stream(alternatives.split("\\|")).anyMatch(this::meetsOne);
  }

  private boolean meetsOne(String need) {
    if (need.startsWith("=")) return parse("sm_" + need.substring(1)).orElseThrow().equals(this);
    var needed = parse("sm_" + need).orElseThrow();
    if (number < needed.number) return false;
    return switch (needed.suffix) {
      case 'a' -> family() == needed.family() && suffix == 'a';
      case 'f' -> family() == needed.family() && suffix != ' ';
      default -> true;
    };
  }

  /** Targets that share features beyond the common ones: 90; 100, 103, 110; 120, 121. */
  private int family() {
    return number < 100 ? number : number < 120 ? 100 : 120;
  }
}
