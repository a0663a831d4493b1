// The kernel: it adds each thread's number, an argument and a variable to an array.
static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 4 .u32 bias = 0;\n"
    ".visible .entry add(.param .u64 p, .param .u32 n) {\n.reg .u64 %a, %o;\n.reg .u32 %t, %v, %n;\n"
    "ld.param.u64 %a, [p];\nld.param.u32 %n, [n];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 4;\nadd.u64 %a, %a, %o;\n"
    "ld.global.u32 %v, [%a];\nadd.u32 %v, %v, %t;\nadd.u32 %v, %v, %n;\nld.global.u32 %n, [bias];\n"
    "add.u32 %v, %v, %n;\nst.global.u32 [%a], %v;\nret;\n}\n";
