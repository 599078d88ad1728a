# cmake -DHELP2MAN=... -DPROGRAM=... -DCOMMAND=run -DPAGE=rigor-run -DVERSION=... -DOUTPUT=... -P man_page.cmake
# One page of the manual from the program's help. help2man takes the page's name from the program's: the rest is put
# right here.
if(COMMAND)
  set(help "help ${COMMAND}")
else()
  set(help "help")
endif()
execute_process(COMMAND ${PROGRAM} help ${COMMAND} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "\n.*" "" summary "${text}")
string(REGEX REPLACE "[ .]+$" "" summary "${summary}")
execute_process(COMMAND ${HELP2MAN} --no-info --section=1 --manual=rigor --version-string=${VERSION}
                "--help-option=${help}" "--name=${summary}"
                        ${PROGRAM} OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
string(TOUPPER ${PAGE} title)
string(REGEX REPLACE "\n.TH [^ ]+ " "\n.TH ${title} " page "${page}")
string(REGEX REPLACE "\n.SH NAME\n[^\n]*\n" "\n.SH NAME\n${PAGE} \\\\- ${summary}\n" page "${page}")
file(WRITE ${OUTPUT} "${page}")
