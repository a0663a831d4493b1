package tilewright.cli.wheel;

/** The tensor cores of a GPU: how problems of a kind are computed there, and chosen among. */
interface GemmMachine {
  /**
   * Makes a case of the problems of a kind.
   *
   * @param key the name in the package's data
   */
  OperatorCase toCase(String key, GemmKind kind);

  /** The machine with a compute capability, which is given times ten. */
  static GemmMachine of(int capability) {
    return switch (capability) {
      case 90 -> new HopperGemm();
      case 100 -> new BlackwellGemm();
      default -> new AmpereGemm(capability);
    };
  }
}
