package tilewright.verification.bench;

import java.util.List;

/**
 * Rows that are measured one after the other, of which any may be left out: by a machine that measures a part of them,
 * or that goes on after an interruption.
 */
public interface RowMeasurement<R> extends AutoCloseable {
  /** Returns the name of the GPU or of the processor; rows of different ones are not comparable. */
  String device();

  /** Returns the rows' keys in order, each once and the same on all machines with this device. */
  List<String> keys();

  /** Measures the row with this key. */
  R measure(String key);

  @Override
  void close();
}
