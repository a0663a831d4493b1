package tilewright.simulator;

/**
 * How tensor cores of sm_100 add up block-scaled products. Two published models disagree in rare cases; neither was
 * compared with a device here.
 */
public enum Fp4Model {
  /**
   * The model that sf-tensor published for a B200: the kept bits depend on the largest product or the largest scale.
   */
  SF_TENSOR,
  /** The model that was published for MMA-Sim: groups of sixteen aligned to the largest product of scales. */
  MMA_SIM
}
