package tilewright.simulator.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.L2Promotion;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorMapRules;
import tilewright.ptx.tensormap.TensorView;

/** What an H200's driver said to random tensor maps, most of them with something wrong. */
class RecordedTensorMapsTest {
  /** Rules of the driver's documentation that the driver does not check. */
  private static final Pattern UNCHECKED = Pattern.compile(
      "swizzle is .*; interleave 32B needs swizzle 32B|.* leave nothing of .*|.* im2colWide map needs .*");
  private static final long LARGEST_BOX = 1 << 18;
  private static final long LARGEST_IMAGE = 1L << 31;

  /** One map and what the driver said. */
  private record Answer(TensorMap map, long address, boolean encoded) {
    static Answer parse(String line) {
      var f = line.split(";", -1);
      var view = new TensorView(TensorElement.parse(f[0]).orElseThrow(), TmaCase.longs(f[1]), TmaCase.longs(f[2]),
          TmaCase.ints(f[3]), Interleave.parse(f[4]).orElseThrow(), SwizzleMode.parse(f[5]).orElseThrow(),
          L2Promotion.NONE, OutOfBoundsFill.parse(f[6]).orElseThrow());
      return new Answer(TmaCase.map(view, f[7], f[8]), Long.parseLong(f[9]), f[10].equals("0"));
    }

    List<String> violations() {
      return TensorMapRules.violations(map, address, 90);
    }

    boolean breaksACheckedRule() {
      return violations().stream().anyMatch(rule -> !UNCHECKED.matcher(rule).matches());
    }

    /** Whether the driver may have refused it for the size of a box, of which its documentation says nothing. */
    boolean large() {
      var view = map.view();
      long bytes = view.element().bits() / 8;
      switch (map) {
        case TensorMap.Tiled(var _, var box) -> {
          for (int extent : box) bytes *= extent;
        }
        case TensorMap.Im2col m -> bytes *= (long) m.channelsPerPixel() * m.pixelsPerColumn();
        case TensorMap.Im2colWide _ -> bytes = 0;
      }
      return bytes >= LARGEST_BOX || view.interleave() != Interleave.NONE
          || map instanceof TensorMap.Im2col && view.dims().stream().anyMatch(d -> d >= LARGEST_IMAGE);
    }
  }

  @Test
  void whatTheDriverEncodedBreaksNoRule() {
    assertEquals(List.of(), answers().stream().filter(a -> a.encoded && a.breaksACheckedRule()).toList());
  }

  @Test
  void whatTheDriverRefusedBreaksARuleUnlessItIsLarge() {
    assertEquals(List.of(), answers().stream()
        .filter(a -> !a.encoded && !a.large() && a.violations().isEmpty()).toList());
  }

  private static List<Answer> answers() {
    return new String(Resources.bytes("maps.txt.gz")).lines().map(Answer::parse).toList();
  }
}
