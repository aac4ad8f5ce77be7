package main
import ("fmt";"strings";"github.com/compose-spec/compose-go/v2/dotenv")
func main(){ for _,v:=range []string{"TOTAL_BUDGET=$5 a day, 100 tasks a day\n","TOTAL_BUDGET='$5 a day'\n","TOTAL_BUDGET=\"$5 a day\"\n","#TOTAL_BUDGET=$5 a day\nA=1\n","TOTAL_BUDGET=$$5 a day\n"} { m,e:=dotenv.ParseWithLookup(strings.NewReader(v),func(string)(string,bool){return "",false}); fmt.Printf("%q -> %v %v\n",v,m,e) } }
