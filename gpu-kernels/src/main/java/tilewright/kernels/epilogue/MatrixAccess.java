package tilewright.kernels.epilogue;

import java.util.List;
import tilewright.kernel.F32;

/** How an architecture brings matrices to the threads that have a tile of D, and takes them away. */
public interface MatrixAccess {

  /** Elements of a source at the places of so many neighbouring values, the first of which has this number. */
  List<F32> load(Epilogue.Source source, int value, int count);

  /** Elements of an auxiliary output, already rounded to its type. */
  void store(Epilogue.Stored stored, int value, List<F32> elements);
}
