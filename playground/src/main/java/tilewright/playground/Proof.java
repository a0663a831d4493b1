package tilewright.playground;

import java.util.List;
import tilewright.layout.decision.ByModeCertificate;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.TableCertificate;

/** The outcome of checking certificates while the reader waits. */
enum Proof {
  HOLDS("✓ checked on this page: the certificate holds"),
  FAILS("✗ the certificate does not hold: this is a fault of Tilewright"),
  TOO_LARGE("the certificate is a table too large to check on this page");

  private static final long LARGEST_TABLE = 1 << 14;

  private final String text;

  Proof(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  static Proof of(List<Certificate> certificates) {
    if (certificates.stream().anyMatch(Proof::isLarge)) return TOO_LARGE;
    return certificates.stream().allMatch(Certificate::holds) ? HOLDS : FAILS;
  }

  private static boolean isLarge(Certificate certificate) {
    return switch (certificate) {
      case TableCertificate table -> table.size() > LARGEST_TABLE;
      case ByModeCertificate byMode -> byMode.modes().stream().anyMatch(Proof::isLarge);
      default -> false;
    };
  }
}
