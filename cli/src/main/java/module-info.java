/** The tilewright command. */
module tilewright.cli {
  requires tilewright.kernels;
  requires tilewright.layout;
  requires tilewright.ops;
  requires tilewright.ptx;
  requires tilewright.reference;
  requires tilewright.simulator;
  requires tilewright.sm100;
  requires tilewright.sm90;
  requires tilewright.verification;
  requires aircompressor.v3;
  requires info.picocli;
  requires org.tukaani.xz;
  requires tools.jackson.databind;

  exports tilewright.cli;
  opens tilewright.cli to info.picocli, tools.jackson.databind;
  opens tilewright.cli.bench to info.picocli, tools.jackson.databind;
  opens tilewright.cli.create to info.picocli, tools.jackson.databind;
  opens tilewright.cli.cuda to info.picocli, tools.jackson.databind;
  opens tilewright.cli.export to info.picocli, tools.jackson.databind;
  opens tilewright.cli.fuzz to info.picocli, tools.jackson.databind;
  opens tilewright.cli.io to info.picocli, tools.jackson.databind;
  opens tilewright.cli.kernel to info.picocli, tools.jackson.databind;
  opens tilewright.cli.launch to info.picocli, tools.jackson.databind;
  opens tilewright.cli.layout to info.picocli, tools.jackson.databind;
  opens tilewright.cli.run to info.picocli, tools.jackson.databind;
  opens tilewright.cli.sweep to info.picocli, tools.jackson.databind;
  opens tilewright.cli.verify to info.picocli, tools.jackson.databind;
  opens tilewright.cli.wheel to info.picocli, tools.jackson.databind;
}
