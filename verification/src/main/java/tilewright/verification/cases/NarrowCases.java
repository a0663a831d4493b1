package tilewright.verification.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/** Products of floats of eight bits and fewer, and what quantizes to them. */
public final class NarrowCases {
  private static final List<MmaFormat> FLOATS =
      List.of(MmaFormat.E4M3, MmaFormat.E5M2, MmaFormat.E2M3, MmaFormat.E3M2, MmaFormat.E2M1);

  private NarrowCases() {}

  static List<Case> products(long seed) {
    return Stream.of(formats(seed), mixes(seed), orders(seed), byWarps(seed)).flatMap(List::stream).toList();
  }

  /** Every format that has a name on one CTA and on pairs, with tails in every extent, and in batches. */
  public static List<Case> formats(long seed) {
    var cases = new ArrayList<Case>();
    for (var format : NarrowFormat.named().values()) {
      var types = types(format.kind(), format.element(), format.element(), ElementType.F32);
      cases.add(new NarrowCase(types, 136, 40, 288, NarrowCase.Numbers.WHOLE, seed).makeCase());
      var half = types(format.kind(), format.element(), format.element(), ElementType.BF16);
      cases.add(new NarrowCase(half, 40, 136, 75, NarrowCase.Numbers.NORMAL, seed).makeCase());
      cases.add(new NarrowCase(types, 24, 136, 330, NarrowCase.Numbers.SPREAD, seed).makeCase());
      cases.add(new NarrowCase(half, "TN", 136, 40, 140, 2, NarrowCase.Numbers.SPREAD, seed).makeCase());
    }
    cases.add(new NarrowCase(types(MmaKind.NVF4, MmaFormat.E2M1, MmaFormat.E2M1, ElementType.F16), 264, 264, 600,
        NarrowCase.Numbers.NORMAL, seed).makeCase());
    return cases;
  }

  /**
   * What SM120's warps multiply: every format, mixed bytes, tails in every extent, tiles of scales of which the last
   * is missing, batches, extents beyond a tile, and none.
   */
  public static List<Case> byWarps(long seed) {
    var cases = new ArrayList<NarrowCase>();
    for (var name : List.of("mxf8", "mxf8_e5m2", "mxf4", "nvf4")) {
      var format = NarrowFormat.named(name);
      var types = types(format.kind(), format.element(), format.element(), ElementType.F32);
      var half = types(format.kind(), format.element(), format.element(), ElementType.BF16);
      cases.add(new NarrowCase(types, 136, 40, 288, NarrowCase.Numbers.WHOLE, seed));
      cases.add(new NarrowCase(half, 40, 136, 75, NarrowCase.Numbers.NORMAL, seed));
      cases.add(new NarrowCase(types, 24, 135, 1034, NarrowCase.Numbers.SPREAD, seed));
      cases.add(new NarrowCase(half, "TN", 136, 40, 140, 2, NarrowCase.Numbers.SPREAD, seed));
      cases.add(new NarrowCase(half, 264, 130, 60, NarrowCase.Numbers.NORMAL, seed));
    }
    cases.add(new NarrowCase(types(MmaKind.MXF8F6F4, MmaFormat.E5M2, MmaFormat.E4M3, ElementType.F16), 72, 24, 160,
        NarrowCase.Numbers.SPREAD, seed));
    cases.add(new NarrowCase(types(MmaKind.MXF8F6F4, MmaFormat.E4M3, MmaFormat.E5M2, ElementType.F32), 72, 24, 160,
        NarrowCase.Numbers.WHOLE, seed));
    return cases.stream().map(c -> c.by(NarrowCase.Multiplier.SM120).makeCase()).toList();
  }

  /** Products of four bits on B300: whole stages and tails, steps of which scales lie in two words, and batches. */
  public static List<Case> deep(long seed) {
    var cases = new ArrayList<NarrowCase>();
    for (var name : List.of("mxf4", "nvf4")) {
      var format = NarrowFormat.named(name);
      var types = types(format.kind(), format.element(), format.element(), ElementType.F32);
      var half = types(format.kind(), format.element(), format.element(), ElementType.BF16);
      cases.add(new NarrowCase(types, 136, 40, 288, NarrowCase.Numbers.WHOLE, seed));
      cases.add(new NarrowCase(half, 136, 128, 75, NarrowCase.Numbers.NORMAL, seed));
      cases.add(new NarrowCase(types, 136, 24, 1640, NarrowCase.Numbers.SPREAD, seed));
      cases.add(new NarrowCase(half, "TN", 264, 40, 768, 2, NarrowCase.Numbers.SPREAD, seed));
      cases.add(new NarrowCase(types, 40, 136, 330, NarrowCase.Numbers.SPREAD, seed));
    }
    return cases.stream().map(c -> c.by(NarrowCase.Multiplier.SM103).makeCase()).toList();
  }

  /** Every mix, with scales and without. */
  public static List<Case> mixes(long seed) {
    var cases = new ArrayList<Case>();
    for (var kind : List.of(MmaKind.F8F6F4, MmaKind.MXF8F6F4)) {
      for (var a : FLOATS) {
        for (var b : FLOATS) {
          cases.add(new NarrowCase(types(kind, a, b, ElementType.F32), 24, 16, 160, NarrowCase.Numbers.WHOLE, seed)
              .makeCase());
        }
      }
    }
    cases.add(new NarrowCase(types(MmaKind.F8F6F4, MmaFormat.E2M3, MmaFormat.E2M1, ElementType.BF16), 264, 136, 300,
        NarrowCase.Numbers.NORMAL, seed).makeCase());
    return cases;
  }

  /** Elements that are unpacked along m and n, beside others that are not. */
  public static List<Case> orders(long seed) {
    var cases = new ArrayList<Case>();
    for (var order : List.of("NN", "TT", "NT")) {
      for (var kind : List.of(MmaKind.F8F6F4, MmaKind.MXF8F6F4)) {
        for (var b : List.of(MmaFormat.E3M2, MmaFormat.E5M2)) {
          cases.add(new NarrowCase(types(kind, MmaFormat.E2M1, b, ElementType.F32), order, 136, 152, 160, 1,
              NarrowCase.Numbers.SPREAD, seed).makeCase());
        }
      }
    }
    cases.add(new NarrowCase(types(MmaKind.MXF8F6F4, MmaFormat.E2M3, MmaFormat.E2M3, ElementType.BF16), "NT", 40, 24,
        100, 2, NarrowCase.Numbers.SPREAD, seed).makeCase());
    cases.add(new NarrowCase(types(MmaKind.F8F6F4, MmaFormat.E3M2, MmaFormat.E4M3, ElementType.F32), "TN", 40, 24, 100,
        2, NarrowCase.Numbers.NORMAL, seed).makeCase());
    return cases;
  }

  private static UmmaTypes types(MmaKind kind, MmaFormat a, MmaFormat b, ElementType output) {
    return new UmmaTypes(kind, a, b, output);
  }

  /** Every format that has a name, of every type that is quantized, with what is not finite. */
  public static List<Case> quantizers(long seed) {
    var cases = new ArrayList<Case>();
    for (var format : NarrowFormat.named().values()) {
      for (var type : List.of(ElementType.F32, ElementType.BF16, ElementType.F16)) {
        cases.add(new QuantizerCase(format, type, 130, 160, seed).makeCase());
      }
      cases.add(new QuantizerCase(format, ElementType.F32, 33, 75, seed).makeCase());
    }
    return cases;
  }
}
