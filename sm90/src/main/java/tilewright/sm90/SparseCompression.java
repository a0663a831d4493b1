package tilewright.sm90;

import java.util.ArrayList;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.Partition;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Operand;
import tilewright.sm90.atom.LargerHalf;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * Compresses a matrix for {@link SparseGemm}: of each chunk along k it keeps the larger half by magnitude, of equal
 * elements the first, so that nothing is lost of a matrix that is sparse already. A thread makes the word of metadata
 * that it has when {@code wgmma} multiplies, and reads the rows' parts that the word is about.
 */
public record SparseCompression(ElementType type) implements Kernel {
  private static final int ACCESS_BYTES = 16;
  /** Groups of four bits in a word. */
  private static final int FOURS = Integer.SIZE / 4;

  /**
   * Prepares a launch that compresses into the buffers of a product's A and E.
   *
   * @param dense (M, K), of rows at multiples of 16 bytes; K is a multiple of 32 bytes
   */
  public static PreparedLaunch prepare(SparseGemm gemm, Matrix dense) {
    var p = gemm.problem();
    var kernel = CompiledKernel.compile(new SparseCompression(p.types().a()), Target.SM90A);
    var metadata = gemm.metadataArgument();
    long blocks = metadata.extents().get(0) * (metadata.extents().get(1) / Warpgroup.SIZE) * p.batch();
    var arguments = LaunchArguments.of(kernel).tensor("X", dense.argument(p.m(), p.k(), p.batch()))
        .tensor("A", gemm.storedArgument()).tensor("E", metadata);
    return new PreparedLaunch(kernel, Dim3.of(Math.toIntExact(Math.max(1, blocks))), arguments.build());
  }

  @Override
  public String name() {
    return "sparse_compression_" + type.text();
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(Warpgroup.SIZE);
    var atom = new WgmmaAtom(type, FOURS).ofSparseA();
    var half = new LargerHalf(type);
    int vector = ACCESS_BYTES / type.bytes();
    var x = k.global(TensorSpec.of("X", type, "M", "K", "L").contiguous("K").aligned(vector)
        .multipleOf("K", 2 * vector));
    var a = k.global(TensorSpec.of("A", type, "M", "KStored", "L").contiguous("KStored").aligned(vector));
    var e = k.global(TensorSpec.of("E", ElementType.I32, "MBlocks", "KWords", "L").contiguous("KWords"));
    var blocksOfK = e.extent(1).dividedBy(Warpgroup.SIZE).max(1);
    var blockOfK = k.blockX().modulo(blocksOfK);
    var rest = k.blockX().dividedBy(blocksOfK);
    var blockOfM = rest.modulo(e.extent(0).max(1));
    var batch = rest.dividedBy(e.extent(0).max(1));

    var partition = Partition.exact(atom.metadata(), WgmmaAtom.M, WgmmaAtom.METADATA_CHUNKS);
    int run = 2 * vector / atom.chunk(); // Chunks of a row that a word tells of, one after the other.
    var fours = new ArrayList<Operand.Register>();
    for (int first = 0; first < FOURS; first += run) {
      var place = partition.coordinate(thread, first);
      var row = blockOfM.times(WgmmaAtom.M).plus(place[0]);
      var chunk = blockOfK.times(WgmmaAtom.METADATA_CHUNKS).plus(place[1]);
      var column = chunk.times(atom.chunk());
      var inside = x.contains(row, column, batch);
      var registers = new ArrayList<Operand.Register>();
      for (int i = 0; i < 2; i++) {
        registers.addAll(x.at(row, column.plus(i * vector), batch).vectorOrZeros(vector, inside).registers());
      }
      var kept = half.of(k, registers);
      fours.addAll(kept.positions());
      k.when(inside, () -> a.at(row, chunk.times(atom.chunk() / 2), batch)
          .store(Vector.packed(k, type, kept.elements())));
    }
    var word = e.at(blockOfM, blockOfK.times(Warpgroup.SIZE).plus(thread), batch);
    k.when(e.contains(blockOfM, blockOfK.times(Warpgroup.SIZE).plus(thread), batch),
        () -> word.store(k.result(LargerHalf.joined(k, fours), Integer.MIN_VALUE, Integer.MAX_VALUE)));
  }
}
