package tilewright.kernel.collective.attention;

import tilewright.kernel.I32;

/** One head of a sequence: where its rows of Q, K and V are. */
public interface SequenceHead {
  /** The head of Q. */
  I32 head();

  /** The head of K and V that it reads. */
  I32 headOfKeys();

  /** The batch entry, or the sequence among packed ones. */
  I32 batch();

  SeqlenInfo sequence();
}
