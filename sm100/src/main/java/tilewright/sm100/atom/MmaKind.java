package tilewright.sm100.atom;

import java.util.List;
import tilewright.numerics.ElementType;

/** The {@code .kind} of a {@code tcgen05.mma}: which formats it multiplies (PTX ISA, Matrix Shape; SM100). */
public enum MmaKind {
  F16("f16", List.of(MmaFormat.F16, MmaFormat.BF16), 0),
  TF32("tf32", List.of(MmaFormat.TF32), 0),
  F8F6F4("f8f6f4", List.of(MmaFormat.E4M3, MmaFormat.E5M2, MmaFormat.E2M3, MmaFormat.E3M2, MmaFormat.E2M1), 0),
  I8("i8", List.of(MmaFormat.U8, MmaFormat.S8), 0),
  /** A scale, a power of two, for 32 neighbours along k. */
  MXF8F6F4("mxf8f6f4.block_scale.scale_vec::1X", F8F6F4.formats, 32),
  /** MX formats of four bits, two elements in a byte. */
  MXF4("mxf4.block_scale.scale_vec::2X", List.of(MmaFormat.E2M1), 32),
  /** A scale of type UE4M3 for 16 neighbours along k. */
  NVF4("mxf4nvf4.block_scale.scale_vec::4X", List.of(MmaFormat.E2M1), 16);

  private final String text;
  private final List<MmaFormat> formats;
  private final int block;

  MmaKind(String text, List<MmaFormat> formats, int block) {
    this.text = text;
    this.formats = formats;
    this.block = block;
  }

  /** The kind that multiplies a format without scales. */
  public static MmaKind of(MmaFormat format) {
    return switch (format) {
      case F16, BF16 -> F16;
      case TF32 -> TF32;
      case U8, S8 -> I8;
      default -> F8F6F4;
    };
  }

  String text() {
    return text;
  }

  /** The text with the elements of a block instead of the scales of an instruction. */
  String textOfBlocks() {
    return text.substring(0, text.indexOf("scale_vec")) + "block" + block;
  }

  List<MmaFormat> formats() {
    return formats;
  }

  /** Whether factors have a scale a block. */
  public boolean scaled() {
    return block > 0;
  }

  /** Neighbours along k that share a scale. */
  public int block() {
    return block;
  }

  /** Elements that lie in one container of shared memory. */
  public int perContainer() {
    return this == MXF4 || this == NVF4 ? 2 : 1;
  }

  int scaleCode() {
    return this == NVF4 ? 0 : 1;
  }

  /** The type of sums that keeps most of them. */
  ElementType sums() {
    return this == I8 ? ElementType.I32 : ElementType.F32;
  }

  boolean addsInto(ElementType sums) {
    return switch (this) {
      case I8 -> sums == ElementType.I32;
      case F16, F8F6F4 -> sums == ElementType.F32 || sums == ElementType.F16;
      default -> sums == ElementType.F32;
    };
  }

  int accumulatorCode(ElementType sums) {
    return switch (sums) {
      case F16 -> 0;
      case F32 -> 1;
      default -> 2;
    };
  }
}
