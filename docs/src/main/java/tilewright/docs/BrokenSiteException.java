package tilewright.docs;

import java.util.List;

/** The site has faults: one line each. */
final class BrokenSiteException extends RuntimeException {
  private static final long serialVersionUID = 1;

  BrokenSiteException(List<String> faults) {
    super(String.join("\n", faults));
  }
}
