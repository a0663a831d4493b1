/** The tilewright command. */
module tilewright.cli {
  requires tilewright.kernels;
  requires tilewright.layout;
  requires tilewright.ptx;
  requires tilewright.reference;
  requires tilewright.simulator;
  requires tilewright.sm100;
  requires tilewright.sm90;
  requires tilewright.verification;
  requires info.picocli;
  requires tools.jackson.databind;

  exports tilewright.cli;
  opens tilewright.cli to info.picocli, tools.jackson.databind;
}
