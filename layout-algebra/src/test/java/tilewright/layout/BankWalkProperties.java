package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class BankWalkProperties {

  /** Lanes a constant number of words apart meet in gcd(distance, 32) words of one bank: the closed form. */
  @Property
  void aConstantStrideConflictsByItsCommonDivisorWithTheBanks(@ForAll @IntRange(min = 1, max = 300) int words) {
    var walk = BankWalk.along(Layout.of(32, words), 0, 4, 4);
    assertEquals(BigInteger.valueOf(words).gcd(BigInteger.valueOf(32)).intValue(), walk.wavefronts());
    assertEquals(1, walk.ideal());
  }

  @Example
  void lanesThatReadOneWordAreServedAtOnce() {
    assertEquals(1, BankWalk.along(Layout.of(32, 0), 0, 4, 4).wavefronts());
  }

  /** Rows of 128 bytes: a column of 16-byte chunks lies in one bank group, until the swizzle spreads it over all eight. */
  @Example
  void theSwizzleSpreadsAColumnOfChunksOverAllBanks() {
    var rows = Layout.parse("(64,64):(64,1)");
    assertEquals(32, BankWalk.along(rows, 0, 2, 16).wavefronts());
    assertEquals(4, BankWalk.along(new ComposedLayout(new Swizzle(3, 3, 3), 0, rows), 0, 2, 16).wavefronts());
  }
}
