/** Tests of kernels under JUnit: they fail on what the simulator's sanitizer finds. */
module tilewright.junit {
  requires transitive tilewright.ops;
  requires transitive org.junit.jupiter.api;

  exports tilewright.junit;
  opens tilewright.junit to org.junit.platform.commons;
}
