package tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
}
