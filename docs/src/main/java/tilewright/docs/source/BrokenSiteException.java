package tilewright.docs.source;

import java.util.List;

/** The site has faults: one line each. */
public final class BrokenSiteException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public BrokenSiteException(List<String> faults) {
    super(String.join("\n", faults));
  }
}
