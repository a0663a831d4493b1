package tilewright.ptx.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Each rule of the driver's documentation, broken alone. */
class TensorMapRulesTest {
  private static final int SM90 = 90;
  private static final int SM100 = 100;
  private static final long ADDRESS = 1 << 20;

  private static final TensorView PLAIN = TensorView.of(TensorElement.BF16, List.of(64L, 32L), List.of(128L));
  private static final TensorView IMAGES =
      TensorView.of(TensorElement.BF16, List.of(64L, 9L, 14L, 4L), List.of(128L, 1152L, 16128L));
  private static final TensorView U6 =
      TensorView.of(TensorElement.U6_ALIGN16B, List.of(256L, 4L), List.of(192L));

  @Test
  void mapsThatKeepTheRulesAreAccepted() {
    assertEquals(List.of(), broken(new TensorMap.Tiled(PLAIN, List.of(64, 32))));
    assertEquals(List.of(), broken(new TensorMap.Tiled(PLAIN.withSwizzle(SwizzleMode.B128), List.of(64, 256))));
    assertEquals(List.of(), broken(new TensorMap.Im2col(IMAGES, List.of(-1, -128), List.of(-1, 127), 256, 1024)));
    assertEquals(List.of(), TensorMapRules.violations(new TensorMap.Tiled(U6, List.of(128, 1)), ADDRESS, SM100));
    assertEquals(List.of(), TensorMapRules.violations(wide(SwizzleMode.B64, 32), ADDRESS, SM100));
    var longest = TensorView.of(TensorElement.U8, List.of(1L << 32, 1L << 32), List.of((1L << 40) - 16));
    assertEquals(List.of(), broken(new TensorMap.Tiled(longest, List.of(256, 256))));
  }

  @Test
  void theNumberOfDimensionsIsLimited() {
    rejects("dims has 0 dimensions; 1 to 5 are possible", TensorView.of(TensorElement.U8, List.of(), List.of()));
    rejects("dims has 6 dimensions; 1 to 5 are possible",
        TensorView.of(TensorElement.U8, List.of(1L, 1L, 1L, 1L, 1L, 1L), List.of()));
    rejects("dims has 2 dimensions; 3 to 5 are possible with interleave 16B", PLAIN.withInterleave(Interleave.B16),
        64, 1);
    assertEquals(List.of("dims has 2 dimensions; 3 to 5 are possible in im2col mode"),
        broken(new TensorMap.Im2col(PLAIN, List.of(), List.of(), 8, 8)));
  }

  @Test
  void everyListHasOneNumberADimension() {
    rejects("box has 1 numbers; a tensor of 2 dimensions needs 2", PLAIN, 64);
    rejects("strides has 0 numbers; a tensor of 2 dimensions needs 1",
        TensorView.of(TensorElement.U8, List.of(16L, 16L), List.of()), 16, 1);
    rejects("elementStrides has 1 numbers; a tensor of 2 dimensions needs 2", PLAIN.withElementStrides(List.of(1)),
        8, 1);
    assertEquals(List.of("lowerCorner has 1 numbers; a tensor of 4 dimensions needs 2",
        "upperCorner has 3 numbers; a tensor of 4 dimensions needs 2"),
        broken(new TensorMap.Im2col(IMAGES, List.of(0), List.of(0, 0, 0), 8, 8)));
  }

  @Test
  void addressesAndStridesAreAligned() {
    var map = new TensorMap.Tiled(PLAIN, List.of(64, 1));
    assertEquals(List.of("address 0x100008 is no multiple of 16 bytes; align the tensor"),
        TensorMapRules.violations(map, ADDRESS + 8, SM90));
    rejects("strides[0] is 136 bytes, no multiple of 16; pad the rows",
        TensorView.of(TensorElement.BF16, List.of(64L, 32L), List.of(136L)), 64, 1);
    rejects("strides[0] is 1099511627776 bytes; needed is 0 or more and less than 2^40",
        TensorView.of(TensorElement.BF16, List.of(64L, 32L), List.of(1L << 40)), 64, 1);
    rejects("strides[0] is -16 bytes; needed is 0 or more and less than 2^40",
        TensorView.of(TensorElement.BF16, List.of(64L, 32L), List.of(-16L)), 64, 1);
    var slices = TensorView.of(TensorElement.U8, List.of(64L, 4L, 4L), List.of(48L, 192L))
        .withInterleave(Interleave.B32).withSwizzle(SwizzleMode.B32);
    assertEquals(List.of("address 0x100010 is no multiple of 32 bytes with interleave 32B; align the tensor",
        "strides[0] is 48 bytes, no multiple of 32 with interleave 32B; pad the rows"),
        TensorMapRules.violations(new TensorMap.Tiled(slices, List.of(32, 1, 1)), ADDRESS + 16, SM90));
    assertEquals(List.of("address 0x100010 is no multiple of 32 bytes for elements 16u6_align16b; align the tensor"),
        TensorMapRules.violations(new TensorMap.Tiled(U6, List.of(128, 1)), ADDRESS + 16, SM100));
  }

  @Test
  void extentsAreLimited() {
    rejects("dims[1] is 0; needed is 1 to 4294967296",
        TensorView.of(TensorElement.U8, List.of(16L, 0L), List.of(16L)), 16, 1);
    rejects("dims[0] is 4294967297; needed is 1 to 4294967296",
        TensorView.of(TensorElement.U8, List.of((1L << 32) + 1), List.of()), 16);
    rejects("box[1] is 257; needed is 1 to 256", PLAIN, 64, 257);
    rejects("box[1] is 0; needed is 1 to 256", PLAIN, 64, 0);
    rejects("elementStrides[1] is 9; needed is 1 to 8", PLAIN.withElementStrides(List.of(1, 9)), 64, 1);
    rejects("elementStrides[0] is 0; needed is 1 to 8", PLAIN.withElementStrides(List.of(0, 1)), 64, 1);
  }

  @Test
  void aRowOfTheBoxIsWholeGranulesWithinTheSwizzle() {
    rejects("box[0] is 12, 24 bytes of bf16; needed is a multiple of 16 bytes", PLAIN, 12, 1);
    rejects("box[0] is 32, 64 bytes of bf16; swizzle 32B takes at most 32", PLAIN.withSwizzle(SwizzleMode.B32), 32, 1);
    rejects("box[0] is 40, 80 bytes of bf16; swizzle 64B takes at most 64", PLAIN.withSwizzle(SwizzleMode.B64), 40, 1);
    rejects("box[0] is 72, 144 bytes of bf16; swizzle 128B takes at most 128", PLAIN.withSwizzle(SwizzleMode.B128),
        72, 1);
    rejects("swizzle 96B can only be set by tensormap.replace", PLAIN.withSwizzle(SwizzleMode.B96), 8, 1);
  }

  @Test
  void interleaveOf32BytesNeedsItsSwizzle() {
    var slices = TensorView.of(TensorElement.U8, List.of(64L, 4L, 4L), List.of(32L,
        128L)).withInterleave(Interleave.B32);
    rejects("swizzle is none; interleave 32B needs swizzle 32B", slices, 32, 1, 1);
  }

  @Test
  void onlyFloatsAreFilledWithNan() {
    var filled = TensorView.of(TensorElement.S32, List.of(64L), List.of()).withFill(OutOfBoundsFill.NAN);
    rejects("oobFill is nan, but elements s32 have no NaN; needed is zero", filled, 4);
  }

  @Test
  void theBoundingBoxOfIm2colIsLimitedAndNotEmpty() {
    rejectsCorners("lowerCorner[1] is -129; needed is -128 to 127", 0, -129, 0, 0);
    rejectsCorners("upperCorner[0] is 128; needed is -128 to 127", 0, 0, 128, 0);

    rejectsCorners("lowerCorner[0] 5 and upperCorner[0] -4 leave nothing of 9 pixels; "
        + "the bounding box must not be empty", 5, 0, -4, 0);
    assertEquals(List.of("channelsPerPixel is 264; needed is 1 to 256", "pixelsPerColumn is 1025; needed is 1 to 1024"),
        broken(new TensorMap.Im2col(IMAGES, List.of(0, 0), List.of(0, 0), 264, 1025)));
    var one = TensorView.of(TensorElement.F32, List.of(64L, 9L, 4L), List.of(256L, 2304L));
    assertEquals(List.of("upperCorner[0] is 32768; needed is -32768 to 32767"),
        broken(new TensorMap.Im2col(one, List.of(0), List.of(32768), 4, 4)));
    var three = TensorView.of(TensorElement.F32, List.of(4L, 9L, 9L, 9L, 4L), List.of(16L, 144L, 1296L, 11664L));
    assertEquals(List.of("lowerCorner[2] is -17; needed is -16 to 15"),
        broken(new TensorMap.Im2col(three, List.of(0, 0, -17), List.of(0, 0, 0), 4, 4)));
  }

  @Test
  void whatOneRowAlongWidthNeeds() {
    assertEquals(List.of("swizzle is none; an im2colWide map needs 64B, 128B or 128B_ATOM_32B"),
        TensorMapRules.violations(wide(SwizzleMode.NONE, 32), ADDRESS, SM100));
    assertEquals(List.of("an im2colWide map needs sm_100 or newer; this is sm_90"),
        TensorMapRules.violations(wide(SwizzleMode.B128, 32), ADDRESS, SM90));
  }

  @Test
  void packedElementsComeInWholeUnits() {
    var rules = TensorMapRules.violations(new TensorMap.Tiled(
        TensorView.of(TensorElement.U6_ALIGN16B, List.of(64L, 4L), List.of(96L)).withSwizzle(SwizzleMode.B64),
        List.of(64, 1)), ADDRESS, SM100);
    assertEquals(List.of("dims[0] is 64; elements 16u6_align16b need a multiple of 128",
        "box[0] is 64; elements 16u6_align16b need 128",
        "swizzle is 64B; elements 16u6_align16b need one of [none, 128B, 128B_ATOM_32B, 128B_ATOM_64B]"), rules);
    var odd = TensorView.of(TensorElement.U4_ALIGN8B, List.of(63L), List.of());
    assertEquals(List.of("dims[0] is 63; elements 16u4_align8b need a multiple of 2"),
        TensorMapRules.violations(new TensorMap.Tiled(odd, List.of(32)), ADDRESS, SM100));
    rejects("element type 16u4_align8b needs sm_100 or newer; this is sm_90",
        TensorView.of(TensorElement.U4_ALIGN8B, List.of(64L), List.of()), 32);
  }

  @Test
  void requiringNamesAllThatIsBroken() {
    var map = new TensorMap.Tiled(PLAIN, List.of(12, 0));
    var e = assertThrows(IllegalArgumentException.class, () -> TensorMapRules.require(map, ADDRESS, SM90));
    assertEquals("tensor map: box[1] is 0; needed is 1 to 256; "
        + "box[0] is 12, 24 bytes of bf16; needed is a multiple of 16 bytes", e.getMessage());
  }

  private static TensorMap wide(SwizzleMode swizzle, int channels) {
    return new TensorMap.Im2colWide(IMAGES.withSwizzle(swizzle), -1, 0, channels, 128, WideMode.W);
  }

  private static List<String> broken(TensorMap map) {
    return TensorMapRules.violations(map, ADDRESS, SM90);
  }

  private static void rejects(String rule, TensorView view, Integer... box) {
    assertEquals(List.of(rule), broken(new TensorMap.Tiled(view, List.of(box))));
  }

  private static void rejectsCorners(String rule, int lowerW, int lowerH, int upperW, int upperH) {
    assertEquals(List.of(rule), broken(new TensorMap.Im2col(IMAGES, List.of(lowerW, lowerH), List.of(upperW, upperH),
        8, 8)));
  }
}
