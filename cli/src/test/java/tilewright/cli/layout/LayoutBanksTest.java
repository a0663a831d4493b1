package tilewright.cli.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

/** Cases whose wavefronts follow from 32 banks of four bytes by hand. */
class LayoutBanksTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      (32,32):(32,1)              | 4 |  4 | 0 | 32 | a column of a row-major tile is one bank
      (32,32):(32,1)              | 4 |  4 | 1 |  1 | a row of it is all banks
      (32,32):(33,1)              | 4 |  4 | 0 |  1 | padding moves each row by a bank
      Sw<5,0,5>o0o(32,32):(32,1)  | 4 |  4 | 0 |  1 | so does a swizzle, without the padding
      Sw<5,0,5>o0o(32,32):(32,1)  | 4 |  4 | 1 |  1 | which leaves rows as they were
      (32,32):(0,1)               | 4 |  4 | 0 |  1 | all lanes read the same word
      (64,64):(64,1)              | 2 | 16 | 0 | 32 | eight rows of 128 bytes begin at the same bank, four times
      Sw<3,3,3>o0o(64,64):(64,1)  | 2 | 16 | 0 |  4 | the swizzle that ldmatrix wants
      (32,2):(2,1)                | 4 |  8 | 0 |  2 | eight bytes a lane take a wavefront for each half of the warp
      (32,32):(1,32)              | 2 |  2 | 0 |  1 | two lanes share a word
      (32,32):(1,32)              | 2 |  2 | 1 | 16 | 64 bytes from lane to lane meet two banks
      (4,2):(1,4)                 | 4 |  4 | 0 |  1 | eight lanes are all there are
      """)
  void countsTheWavefrontsOfAWarpAlongAMode(String layout, int bytes, int access, int mode, int wavefronts,
      String why) {
    var rows = Cli.run("layout", "banks", layout, "--bytes", "" + bytes, "--access", "" + access, "--json").json();
    assertEquals(wavefronts, rows.get(mode).get("wavefronts").asInt(), why);
  }

  @Test
  void refusesWhatNoLaneCanAccess() {
    var run = Cli.run("layout", "banks", "4:1", "--access", "3");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("a lane accesses 1, 2, 4, 8 or 16"), run.err());
  }

  @Test
  void namesLanesThatMeetInABank() {
    var row = Cli.run("layout", "banks", "(32,32):(32,1)", "--json").json().getFirst();
    assertEquals("along mode 0", row.get("pattern").asString());
    assertEquals(32, row.get("degree").asInt());
    assertEquals(0, row.get("conflict").get("bank").asInt());
    assertEquals(32, row.get("conflict").get("lanes").size());
  }

  @Test
  void countsLdmatrixAndFindsItsSwizzle() {
    var plain = Cli.run("layout", "banks", "(8,64):(64,1)", "--bytes", "2", "--ldmatrix", "1", "--json").json();
    assertEquals(8, plain.getFirst().get("wavefronts").asInt());
    var found = Cli.run("layout", "banks", "(8,64):(64,1)", "--bytes", "2", "--ldmatrix", "1", "--find-swizzle",
        "--json").json().getFirst();
    assertEquals("Sw<3,3,3>", found.get("swizzle").asString());
    assertEquals("Sw<3,3,3>o0o(8,64):(64,1)", found.get("layout").asString());
  }

  /** Each thread holds four neighbours of a row: 16 bytes, and the warp a row of 512. */
  @Test
  void takesTheWidestAccessOfAThreadValueLayout() {
    var rows = Cli.run("layout", "banks", "128:1", "--tv", "(32,4):(4,1)", "--json").json();
    assertEquals(16, rows.getFirst().get("bytes").asInt());
    assertEquals(4, rows.get(1).get("wavefronts").asInt());
    var wider = Cli.run("layout", "banks", "128:1", "--tv", "(32,4):(1,32)", "--access", "8");
    assertEquals(Exit.BAD_INPUT, wider.exitCode());
    assertTrue(wider.err().contains("value 1 of thread 0 is at element 32"), wider.err());
  }

  @Test
  void countsSectorsOfGlobalMemory() {
    var rows = Cli.run("layout", "banks", "(32,32):(1,32)", "--global", "--json").json();
    assertEquals(4, rows.get(0).get("sectors").asInt());
    assertEquals(32, rows.get(1).get("sectors").asInt());
    assertEquals(4, rows.get(1).get("ideal").asInt());
  }

  @Test
  void saysWhyThereIsNoSwizzle() {
    var run = Cli.run("layout", "banks", "Sw<1,0,1>o0o(4,4):(4,1)", "--find-swizzle");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("--find-swizzle takes a layout without a swizzle"), run.err());
  }
}
