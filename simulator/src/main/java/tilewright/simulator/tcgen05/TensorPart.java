package tilewright.simulator.tcgen05;

import tilewright.simulator.Fp4Model;
import tilewright.simulator.arithmetic.Conversions;
import tilewright.simulator.core.Cta;
import tilewright.simulator.tensorcore.DotModel;
import tilewright.simulator.tensorcore.Factors;
import tilewright.simulator.tensorcore.Fp4Dot;
import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.tensorcore.ScaledDot;
import tilewright.simulator.tensorcore.TensorTile;
import tilewright.simulator.tmem.ScaleLayout;
import tilewright.simulator.tmem.TmemAddress;

/** The part of a product's D that one CTA holds in one part of its lanes: computes it and writes it. */
final class TensorPart {
  private static final int HALF_MASK = 0xFFFF;
  private static final float NAN = Float.intBitsToFloat(0x7FFF_FFFF);

  private final TensorProduct p;
  private final int ctaIndex;
  private final Cta cta;
  private final int fold;
  private final int rows;
  private final int columns;
  /** The first column of B that belongs here. */
  private final int firstColumn;
  /** Bits of the elements by depth. */
  private final int[][] left;
  private final int[][] right;

  TensorPart(TensorProduct p, int ctaIndex, int fold, int columns, int[][] left, int[][] right) {
    this.p = p;
    this.ctaIndex = ctaIndex;
    cta = p.group[ctaIndex];
    this.fold = fold;
    rows = p.path.rows();
    this.columns = columns;
    firstColumn = fold * columns;
    this.left = left;
    this.right = right;
  }

  void run() {
    if (p.scales > 0) {
      scaled();
    } else if (p.aType().isInteger()) {
      integers();
    } else {
      floats();
    }
  }

  private int lane(int row) {
    return p.dPlace.lane() + p.path.lane(row, fold);
  }

  private int cell(int row, int column) {
    return TensorMemory.cell(lane(row), p.dPlace.column() + column);
  }

  private boolean half() {
    return p.descriptor.d() == MmaType.F16;
  }

  private float old(int row, int column) {
    if (!p.accumulate) return 0;
    int bits = TensorMemory.of(cta).cells[cell(row, column)];
    float value = half() ? Conversions.fromF16(bits & HALF_MASK) : Float.intBitsToFloat(bits);
    return p.scaleD == 0 ? value : Math.scalb(value, -p.scaleD);
  }

  private void write(int row, int column, float value) {
    TensorMemory.of(cta).cells[cell(row, column)] = half() ? Conversions.toF16(value, Conversions.NEAREST_EVEN)
        : Float.floatToRawIntBits(value);
  }

  private void take(int row, int column, float[] sums, int width) {
    if (p.accumulate && !half() && p.scaleD == 0) {
      int[] cells = TensorMemory.of(cta).cells;
      int at = cell(row, column);
      for (int j = 0; j < width; j++) sums[j] = Float.intBitsToFloat(cells[at + j]);
    } else {
      for (int j = 0; j < width; j++) sums[j] = old(row, column + j);
    }
  }

  private void give(int row, int column, float[] sums, int width) {
    if (half()) {
      for (int j = 0; j < width; j++) write(row, column + j, sums[j]);
    } else {
      int[] cells = TensorMemory.of(cta).cells;
      int at = cell(row, column);
      for (int j = 0; j < width; j++) cells[at + j] = Float.floatToRawIntBits(sums[j]);
    }
  }

  private boolean isDisabled(int row) {
    return p.isDisabled(ctaIndex, lane(row));
  }

  private void floats() {
    int[][] a = words(left, p.aType(), p.descriptor.negateA());
    int[][] b = words(right, p.bType(), p.descriptor.negateB());
    // Of two factors the wider type is the kind's.
    var model = DotModel.blackwell(p.aType(), half());
    int[] positions = new int[left.length];
    var tile = TensorUnits.of(cta).tile();
    int height = p.sparse() ? 1 : TensorTile.HEIGHT;
    for (int column = 0; column < columns; column += TensorTile.WIDTH) {
      int width = Math.min(TensorTile.WIDTH, columns - column);
      for (int row = 0; row < rows; row += height) {
        int h = Math.min(height, rows - row);
        if (p.sparse()) p.positions(cta, row, fold, positions);
        for (int k = 0; k < left.length; k++) {
          System.arraycopy(a[k], row, tile.left.words[k], 0, h);
          System.arraycopy(b[p.sparse() ? positions[k] : k], firstColumn + column, tile.right.words[k], 0, width);
        }
        for (int i = 0; i < h; i++) take(row + i, column, tile.sums[i], width);
        tile.multiply(h, width, left.length, p.aType(), p.bType(), model);
        for (int i = 0; i < h; i++) if (!isDisabled(row + i)) give(row + i, column, tile.sums[i], width);
      }
    }
  }

  private static int[][] words(int[][] bits, MmaType type, boolean negated) {
    int flip = negated ? Integer.MIN_VALUE : 0;
    int[][] words = new int[bits.length][bits[0].length];
    for (int k = 0; k < bits.length; k++) {
      for (int i = 0; i < bits[k].length; i++) words[k][i] = Factors.word(bits[k][i], type) ^ flip;
    }
    return words;
  }

  private void integers() {
    int[][] b = new int[right.length][columns];
    for (int k = 0; k < right.length; k++) {
      for (int n = 0; n < columns; n++) b[k][n] = p.bType().integer(right[k][firstColumn + n], 0);
    }
    int[] positions = new int[left.length];
    int[] sums = new int[columns];
    for (int row = 0; row < rows; row++) {
      if (isDisabled(row)) continue;
      java.util.Arrays.fill(sums, 0);
      if (p.sparse()) p.positions(cta, row, fold, positions);
      for (int k = 0; k < left.length; k++) {
        addProducts(sums, b[p.sparse() ? positions[k] : k], p.aType().integer(left[k][row], 0), columns);
      }
      int at = cell(row, 0);
      int[] cells = TensorMemory.of(cta).cells;
      for (int n = 0; n < columns; n++) {
        long sum = (long) sums[n] + (p.accumulate ? cells[at + n] >> p.scaleD : 0);
        cells[at + n] = p.descriptor.saturate() ? Math.clamp(sum, Integer.MIN_VALUE, Integer.MAX_VALUE) : (int) sum;
      }
    }
  }

  private static void addProducts(int[] sums, int[] right, int left, int columns) {
    for (int n = 0; n < columns; n++) sums[n] += right[n] * left;
  }

  private void scaled() {
    if (p.kind.containerBits() == Byte.SIZE) {
      scaledBytes();
    } else {
      scaledNibbles();
    }
  }

  private void scaledBytes() {
    var dot = new ScaledDot(cta.state.fp4Model == Fp4Model.MMA_SIM);
    var format = p.descriptor.scale();
    var factors = factors();
    int[] aScales = new int[1];
    int[] bScales = new int[1];
    int[] positions = new int[left.length];
    for (int row = 0; row < rows; row++) {
      if (isDisabled(row)) continue;
      if (p.sparse()) p.positions(cta, row, fold, positions);
      scales(p.aScales, p.descriptor.aScale(), rows, row, row, aScales);
      var a = factor(row);
      for (int n = 0; n < columns; n++) {
        scales(p.bScales, p.descriptor.bScale(), columns, row, n, bScales);
        float old = old(row, n);
        if (format.isNan(aScales[0]) || format.isNan(bScales[0])) {
          write(row, n, NAN);
          continue;
        }
        var b = p.sparse() ? gathered(factors[n], positions) : factors[n];
        int scale = format.exponent(aScales[0]) + format.exponent(bScales[0]);
        write(row, n, dot.add(old, a, b, left.length, scale));
      }
    }
  }

  private void scaledNibbles() {
    int groups = left.length / Fp4Dot.GROUP;
    var dot = new Fp4Dot(cta.state.fp4Model, p.descriptor.scale(), groups);
    var columnsOfB = nibbles(right, firstColumn, columns, p.descriptor.negateB());
    var rowsOfA = nibbles(left, 0, rows, p.descriptor.negateA());
    var gathered = new Fp4Dot.Factor();
    int[] aScales = new int[groups];
    int[] bScales = new int[groups];
    int[] positions = new int[left.length];
    for (int row = 0; row < rows; row++) {
      if (isDisabled(row)) continue;
      if (p.sparse()) p.positions(cta, row, fold, positions);
      scales(p.aScales, p.descriptor.aScale(), rows, row, row, aScales);
      for (int n = 0; n < columns; n++) {
        scales(p.bScales, p.descriptor.bScale(), columns, row, n, bScales);
        var b = columnsOfB[n];
        if (p.sparse()) {
          for (int k = 0; k < positions.length; k++) gathered.copy(k, b, positions[k]);
          b = gathered;
        }
        write(row, n, dot.add(old(row, n), rowsOfA[row], b, aScales, bScales));
      }
    }
  }

  /** The scales of each group of a row of A or column of B, from the lanes of the warp that a row of D lies in. */
  private void scales(TmemAddress at, int id, int count, int row, int index, int[] scales) {
    int lane = lane(row) / TmemAddress.WARP_LANES * TmemAddress.WARP_LANES + ScaleLayout.lane(index);
    int[] cells = TensorMemory.of(cta).cells;
    int first = TensorMemory.cell(lane, at.column() + ScaleLayout.column(index));
    for (int g = 0; g < scales.length; g++) {
      int scale = id + g * p.scales / scales.length;
      int word = cells[first + scale / Integer.BYTES * ScaleLayout.columnsOfWord(count)];
      scales[g] = word >>> Byte.SIZE * (scale % Integer.BYTES) & 0xFF;
    }
  }

  private ScaledDot.Factor factor(int row) {
    var factor = new ScaledDot.Factor(left.length);
    for (int k = 0; k < left.length; k++) factor.set(k, left[k][row], p.aType(), p.descriptor.negateA());
    return factor;
  }

  private ScaledDot.Factor[] factors() {
    var all = new ScaledDot.Factor[columns];
    for (int n = 0; n < columns; n++) {
      all[n] = new ScaledDot.Factor(right.length);
      for (int k = 0; k < right.length; k++) {
        all[n].set(k, right[k][firstColumn + n], p.bType(), p.descriptor.negateB());
      }
    }
    return all;
  }

  private static ScaledDot.Factor gathered(ScaledDot.Factor all, int[] positions) {
    var some = new ScaledDot.Factor(positions.length);
    for (int k = 0; k < positions.length; k++) {
      some.values()[k] = all.values()[positions[k]];
      some.exponents()[k] = all.exponents()[positions[k]];
    }
    return some;
  }

  /** Rows of A or columns of B; as many steps as there are. */
  private static Fp4Dot.Factor[] nibbles(int[][] bits, int first, int count, boolean negated) {
    var all = new Fp4Dot.Factor[count];
    for (int i = 0; i < count; i++) {
      all[i] = new Fp4Dot.Factor(new int[bits.length], new int[bits.length]);
      for (int k = 0; k < bits.length; k++) all[i].set(k, bits[k][first + i], negated);
    }
    return all;
  }
}
